"use strict";
import fs, { readFile } from "node:fs";
export { join } from "node:path";

/**
 * Largest body, in bytes.
 */
const LIMIT = 1024;
let hits = 0;
var a = require("a"),
  b = require("b");

function Stack(size) {
  this.size = size;
}

/** Puts one on top. */
Stack.prototype.push = function push(item) {
  hits++;
};

const app = (exports.app = {});

app.use = function use(handler) {
  return this;
};

exports.parse = (text) => text.split(",");
module.exports.format = function (parts) {};
module.exports = function createApp(options) {
  function lazy() {}
};

export class Router extends Base {
  static routes = new Map();
  #depth = 0;
  handle = (request) => {};

  constructor(options) {
    super(options);
  }

  // Adds a route.
  async add(path, handler) {}

  get depth() {
    return this.#depth;
  }

  #grow() {}
}

export const route = async (path) => {
  const local = () => 1;
};
const once = function () {};
export function* walk(tree) {}

const verbs = {
  get(path) {},
  post: (path) => {},
  all: true,
};

export default class Main {}
