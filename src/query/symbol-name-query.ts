/** The name in a symbol query: `fn auth::Jwt::validate(` → validate, inside auth, Jwt, of kind fn. */
import { type Kind, parseKindFilter } from "../model/kinds.ts";

export interface NameQuestion {
  /** The last part, as typed. */
  readonly name: string;
  /** Spellings to look up: the whole word first (`save!`, `Plug.Conn` are names in their languages), then the last part. */
  readonly spellings: readonly string[];
  /** The parts before it, outermost first. */
  readonly qualifier: readonly string[];
  readonly kinds: readonly Kind[];
}

const JOINTS = /::|->|[.#$/\\]/;

/** Undefined when nothing in the text could be a name. */
export function nameOf(text: string): NameQuestion | undefined {
  const words = text.trim().split(/\s+/);
  const kinds = words.length > 1 ? parseKindFilter(words[0]!) : [];
  const word = (words.length > 1 ? words.slice(1).join(" ") : words[0]!).slice(0, MAX_NAME);
  const bare = word.replace(/^[@&*~$#]+/, "").replace(/(?:<.*|\(.*|;)$/s, "");
  const parts = bare.split(JOINTS).filter((part) => part !== "");
  const last = parts.pop();
  if (last === undefined) return undefined;
  const name = last.replace(/[!?=]+$/, "") || last;
  return { name, spellings: [...new Set([word, bare, last, name])], qualifier: parts, kinds };
}

/** Names are cut here when they are extracted, too. */
const MAX_NAME = 200;

/** How much of the qualifier a qualified name carries, from its end: 1 all of it, 0 nothing. */
export function qualifierMatch(qualifiedName: string, question: Pick<NameQuestion, "qualifier">): number {
  const { qualifier } = question;
  if (qualifier.length === 0) return 0;
  const owners = qualifiedName.toLowerCase().split(JOINTS).slice(0, -1);
  let found = 0;
  let from = owners.length;
  for (const part of qualifier.toReversed()) {
    const at = owners.lastIndexOf(part.toLowerCase(), from - 1);
    if (at < 0 || from === 0) break;
    found++;
    from = at;
  }
  return found / qualifier.length;
}
