/** Functions that CommonJS hangs on prototypes, objects and `exports`, and what `this` is in them. */
import { describe } from "vitest";
import { checkUses as check } from "../../test/kit/references.ts";

const tree = {
  "stack.js": `function Stack() { grow(); function grow() {} }
Stack.prototype.push = function (x) {
  this.grow();
  [x].forEach(function () { this.grow(); });
  [x].forEach(function () { this.grow(); }, this);
};
Stack.prototype.grow = function () {};
module.exports = Stack;
`,
  "app.js": `var app = exports = module.exports = {};
app.start = function () { this.stop(); };
app.stop = function () {};
`,
  "helpers.js": `var helpers = exports;
helpers.read = function () { helpers.write(); };
exports.write = function () {};
`,
  "api.js": `const api = { open() { this.close(); }, again: () => this.close(), close: () => {} };
module.exports = api;
`,
  "use.js": `const Stack = require("./stack");
const { stop } = require("./app");
const helpers = require("./helpers");
const { close } = require("./api");
const stack = exports.stack = new Stack();
stack.grow();
stop();
helpers.read();
helpers.write();
close();
`,
};

describe("CommonJS", () => {
  check(
    "a method of a prototype, by this and by what was made; not in a function with its own this",
    tree,
    ["stack.js", "grow", 1],
    "stack.js:3:7 calls receiver",
    "stack.js:5:33 calls receiver",
    "use.js:6:6 calls receiver",
    "stack.js:4:33 calls name_only",
  );
  check(
    "of the object that is the module",
    tree,
    ["app.js", "stop"],
    "app.js:2:31 calls receiver",
    "use.js:2:8 imports import",
    "use.js:7:0 calls import",
  );
  check("of exports under another name", tree, ["helpers.js", "read"], "use.js:8:8 calls import");
  check(
    "of exports, and used under the other name",
    tree,
    ["helpers.js", "write"],
    "helpers.js:2:37 calls receiver",
    "use.js:9:8 calls import",
  );
  check(
    "of a literal, by this and taken apart",
    tree,
    ["api.js", "close"],
    "api.js:1:28 calls receiver",
    "use.js:4:8 imports import",
    "use.js:10:0 calls import",
    "api.js:1:58 calls name_only",
  );
});
