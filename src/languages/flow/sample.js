#!/usr/bin/env node
/* eslint-disable no-unused-vars */
/**
 * Tokens and who they belong to.
 *
 * @flow strict
 */
"use strict";

import type { Clock } from "./clock";
import typeof * as Store from "./store";
import { Component, type Node } from "react";
const { readFile } = require("fs");

/** What is known of a user. */
export type User = {|
  +id: number,
  name: ?string,
  tags?: Array<string>,
|};
type Claims = { -subject: string, +[key: string]: mixed, ... };
export opaque type Token = string;
opaque type Secret = { value: string, ... };

export interface Keys {
  +primary: Secret;
  rotate(now: number): void;
}

declare function now(): number;

const LIMIT: number = 3;

/** Signs a token. */
export function sign<T: Claims>(claims: T, { clock }: { clock: Clock, ... }): Token {
  const text = (JSON.stringify(claims): any);
  return encode(text, clock.now());
}

function encode(text: string, at: ?number): Token {
  return `${text}.${at || LIMIT}`;
}

export class Session<T> extends Component<{ user: User }, T> {
  +user: User;
  #claims: ?Claims = null;
  static store: Store;

  claimsOf(user: User): ?Claims {
    return this.#claims ?? { ...user, subject: user.name };
  }

  render(): Node {
    return <Badge label={this.user.name} signs={sign} />;
  }
}

const Badge = ({ label, signs }: { label: ?string, signs: typeof sign }): Node => <b>{label}</b>;

exports.signLater = async (claims: Claims): Promise<Token> => sign(claims, { clock });
module.exports.Session = Session;
