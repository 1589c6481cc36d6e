// Sessions of the people who are signed in.
import { createHash } from "node:crypto";
import type { Role } from "./roles.ts";
import legacy = require("legacy");
export * from "./errors.ts";

/** How long a token lives, in seconds. */
export const LIFETIME = 3600;
let counter = 0;
const first = 1,
  second = 2;
var old: string | undefined;

export type Token = { readonly id: string; refresh(): Promise<Token> };
type Maybe<T> = T | undefined;

/**
 * What a token claims.
 * @see Token
 */
export interface Claims<T = unknown> extends Readable {
  /** Who it is about. */
  readonly subject: string;
  roles?: Role[];
  validate(at: Date): boolean;
}

export enum Level {
  Guest,
  Member = "member",
}

export abstract class Store<K> implements Iterable<K> {
  static readonly shared = new Map<string, Store<unknown>>();
  #secret = "";
  protected items: K[] = [];

  constructor(private readonly name: string) {
    super();
  }

  /** Finds one. */
  public async find(key: string): Promise<Maybe<K>> {
    return this.items.find((it) => String(it) === key);
  }

  private onChange = (key: K): void => {
    counter++;
  };

  abstract close(): void;
  get size(): number {
    return this.items.length;
  }
  *[Symbol.iterator]() {}
}

@sealed({ strict: true })
export class MemoryStore extends Store<string> {
  @log()
  close(): void {}
}

export function parse(text: string): Token;
export function parse(text: string, level: Level): Token;
export function parse(text: string, level?: Level): Token {
  function inner() {}
  return inner as never;
}

async function* pages() {}

export const validateToken = async (token: string): Promise<Claims> => {
  const local = 1;
  return hash(token, local);
};

const hash = function (token: string) {};
export const Named = class {
  go() {}
};

export const handlers = {
  open(path: string) {},
  close: (path: string) => {},
  limit: 3,
};

export default function main(): void {}

namespace Keys {
  export const rotate = () => 1;
  export function load() {}
}

declare module "legacy" {
  export function run(): void;
}
declare const VERSION: string;
declare function boot(): void;
