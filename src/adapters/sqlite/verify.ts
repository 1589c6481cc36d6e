/** What can be wrong with a database beyond the rows that answers are read from. */
import { requireFacts, requireNoVectors, type StoredMarks } from "../../engine/integrity.ts";
import { errorMessage } from "../../model/errors.ts";
import type { Finding, VerifyLevel } from "../../ports/store.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { type Connection, hasMarks } from "./connection.ts";
import { isDamage } from "./failures.ts";

export function findingsOf(db: Connection, level: VerifyLevel): Finding[] {
  const findings: Finding[] = [];
  const look = (where: string, check: () => void) => {
    try {
      check();
    } catch (error) {
      const what = errorMessage(error);
      findings.push({ what, where, ...(isDamage(error) && { damage: true }) });
    }
  };
  if (level !== "quick") look("file versions", () => requirePresence(db));
  if (level === "full")
    look("database", () => {
      const answer = db.pragma("integrity_check");
      if (answer !== "ok") throw new CorruptionError(String(answer));
    });
  return findings;
}

type PresentRow = StoredMarks & { readonly id: number; readonly hash: string };

/** That every file version has what it says was stored for it. Keys only: no blob is read to its end. */
function requirePresence(db: Connection): void {
  const ids = (sql: string) => new Set(db.arrays<[number]>(sql).map(([id]) => id));
  const [records, facts] = [ids("SELECT version FROM record"), ids("SELECT version FROM facts")];
  const texts = new Set(db.arrays<[string]>("SELECT hash FROM content NOT INDEXED").map(([hash]) => hash));
  const vectors = new Set(
    db.arrays<[number, string]>("SELECT version, model FROM vectors NOT INDEXED").map((it) => it.join(" ")),
  );
  const marks = hasMarks(db) ? "facts_mark AS facts, embedded" : "NULL AS facts, NULL AS embedded";
  for (const row of db.all<PresentRow>(`SELECT id, hash, ${marks} FROM file_version NOT INDEXED`)) {
    const { id, hash, embedded } = row;
    if (!records.has(id)) throw new CorruptionError(`the record of file version ${id} is missing`);
    if (!texts.has(hash)) throw new CorruptionError(`the text of file version ${id} is missing`);
    if (row.facts && !facts.has(id)) requireFacts(id, row, undefined);
    if (embedded !== null && !vectors.has(`${id} ${embedded}`)) requireNoVectors(id, row, embedded);
  }
}
