/** Ways to damage a store on disk. Each case is deterministic, so that a failure can be repeated. */
import {
  closeSync,
  globSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { pick, prng } from "./prng.ts";

export interface Damage {
  /** What is damaged, and how; also the name of the case. */
  readonly name: string;
  /** Damages the only store in the data directory. */
  apply(home: string): void;
}

const PAGE = 4_096;
const DATABASE = "stores/*/index*.db";

/** Every kind of damage on every table and index, and on the other files; `rounds`: positions per kind. */
export function damages(home: string, rounds: number): Damage[] {
  const rounds_ = Array.from({ length: rounds }, (_, round) => round);
  const trees = treesOf(theFile(home, DATABASE));
  const cases = rounds_.flatMap((round) => [
    misplacedStamp(round),
    ...trees.filter(({ isTable }) => isTable).map(({ name }) => lostRows(name, round)),
    ...trees.flatMap(({ name }) => PAGE_KINDS.map((kind) => damagedPage(kind, name, round))),
    ...Array.from({ length: 6 }, (_, at) => damagedFile("cut", DATABASE, round * 6 + at)),
    ...Array.from({ length: 4 }, (_, at) => damagedFile("flip", DATABASE, round * 4 + at)),
    ...Array.from({ length: 4 }, (_, at) => flippedHeader(round * 4 + at)),
    ...OTHER_FILES.flatMap((file) => FILE_KINDS.map((kind) => damagedFile(kind, file, round))),
  ]);
  return cases;
}

const OTHER_FILES = ["stores/*/control.db", "stores/*/CURRENT", "stores/*/tree-*.known", "workspaces/*.json"];
const FILE_KINDS = ["flip", "cut", "empty", "gone"] as const;
const PAGE_KINDS = ["zero", "flip", "replace"] as const;

interface Btree {
  readonly name: string;
  readonly isTable: boolean;
}

/** Only tables and indexes that are not empty. */
function treesOf(path: string): Btree[] {
  return opened(path, (db) => {
    const names = db.prepare("SELECT name, type FROM sqlite_schema").all() as { name: string; type: string }[];
    const filled = new Set(
      (db.prepare("SELECT name FROM dbstat WHERE ncell > 0 GROUP BY name").all() as { name: string }[]).map(
        (it) => it.name,
      ),
    );
    return names
      .filter(({ name }) => filled.has(name))
      .map(({ name, type }) => ({ name, isTable: type === "table" }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

/** Deletes one row, a third of them or all. */
function lostRows(table: string, round: number): Damage {
  const share = [1, 3, "all"][round % 3];
  return {
    name: `lost rows: ${table} (${share === 1 ? "one" : share === 3 ? "a third" : "all"}, ${round})`,
    apply: (home) =>
      opened(theFile(home, DATABASE), (db) => {
        const total = (db.prepare(`SELECT count(*) AS total FROM "${table}"`).get() as { total: number }).total;
        const random = prng(hashOf(`${table} ${round}`));
        const key = keyOf(db, table);
        const rows = db
          .prepare(`SELECT ${key.join(", ")} FROM "${table}" ORDER BY ${key.join(", ")}`)
          .raw()
          .all() as unknown[][];
        const count = share === 1 ? 1 : share === 3 ? Math.ceil(total / 3) : total;
        const remove = db.prepare(
          `DELETE FROM "${table}" WHERE ${key.map((column) => `${column} IS ?`).join(" AND ")}`,
        );
        for (let lost = 0; lost < count; lost++) remove.run(...rows.splice(pick(random, rows.length), 1)[0]!);
      }),
  };
}

function keyOf(db: Sqlite.Database, table: string): string[] {
  const columns = db.prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk").all(table) as {
    name: string;
  }[];
  return columns.length > 0 ? columns.map(({ name }) => name) : ["rowid"];
}

function damagedPage(kind: (typeof PAGE_KINDS)[number], name: string, round: number): Damage {
  return {
    name: `page ${kind}: ${name} (${round})`,
    apply: (home) => {
      const path = theFile(home, DATABASE);
      const pages = pagesOf(path, name);
      const random = prng(hashOf(`${kind} ${name} ${round}`));
      const page = pages[pick(random, pages.length)]!;
      const bytes = readAt(path, (page - 1) * PAGE, PAGE);
      // The first page also contains the file header, which other cases damage.
      const from = page === 1 ? 100 : 0;
      if (kind === "zero") bytes.fill(0, from);
      if (kind === "flip") bytes[from + pick(random, PAGE - from)]! ^= 1 << pick(random, 8);
      if (kind === "replace") {
        const other = pages[pick(random, pages.length)]!;
        bytes.set(readAt(path, (other - 1) * PAGE, PAGE).subarray(from), from);
      }
      writeAt(path, (page - 1) * PAGE, bytes);
    },
  };
}

/** Another key in the middle of a sorted page: a scan ends there. */
export function misplacedStamp(round: number): Damage {
  return {
    name: `key flip: stamp (${round})`,
    apply: (home) => {
      const path = theFile(home, DATABASE);
      const [tree] = opened(path, (db) => db.prepare("SELECT tree FROM stamp").pluck().all()) as [string];
      const pages = pagesOf(path, "stamp");
      const page = pages.at(-1)!;
      const bytes = readAt(path, (page - 1) * PAGE, PAGE);
      const keys: number[] = [];
      for (let at = bytes.indexOf(tree); at >= 0; at = bytes.indexOf(tree, at + 1)) keys.push(at);
      bytes[keys[(keys.length >> 1) + round]!]! ^= 0x40;
      writeAt(path, (page - 1) * PAGE, bytes);
    },
  };
}

function pagesOf(path: string, name: string): number[] {
  const sql = "SELECT pageno FROM dbstat WHERE name = ? ORDER BY pageno";
  return opened(path, (db) => (db.prepare(sql).all(name) as { pageno: number }[]).map(({ pageno }) => pageno));
}

/** The file header of 100 bytes, which describes the rest. */
function flippedHeader(seed: number): Damage {
  return {
    name: `header flip (${seed})`,
    apply: (home) => {
      const random = prng(hashOf(`header ${seed}`));
      const path = theFile(home, DATABASE);
      const bytes = readAt(path, 0, 100);
      bytes[pick(random, 100)]! ^= 1 << pick(random, 8);
      writeAt(path, 0, bytes);
    },
  };
}

function damagedFile(kind: (typeof FILE_KINDS)[number], pattern: string, seed: number): Damage {
  return {
    name: `file ${kind}: ${pattern} (${seed})`,
    apply: (home) => {
      const path = theFile(home, pattern);
      const random = prng(hashOf(`${kind} ${pattern} ${seed}`));
      const { size } = statSync(path);
      if (kind === "gone") rmSync(path);
      else if (kind === "cut" || kind === "empty") truncateSync(path, kind === "empty" ? 0 : pick(random, size));
      else {
        const bytes = readFileSync(path);
        bytes[pick(random, size)]! ^= 1 << pick(random, 8);
        writeFileSync(path, bytes);
      }
    },
  };
}

function theFile(home: string, pattern: string): string {
  const [name] = globSync(pattern, { cwd: home });
  if (name === undefined) throw new Error(`there is no ${pattern}`);
  return join(home, name);
}

function opened<T>(path: string, use: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(path);
  try {
    return use(db);
  } finally {
    db.close();
  }
}

function readAt(path: string, position: number, length: number): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, position);
    return bytes;
  } finally {
    closeSync(file);
  }
}

function writeAt(path: string, position: number, bytes: Uint8Array): void {
  const file = openSync(path, "r+");
  try {
    writeSync(file, bytes, 0, bytes.length, position);
  } finally {
    closeSync(file);
  }
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193);
  return hash >>> 0;
}
