/** From the globs of a question to what they let through. */
import { globFilter } from "../../grep/glob.ts";

interface Globbed {
  readonly globs?: readonly string[];
  readonly keeps?: (path: string) => boolean;
}

/** The same question with its globs read; one that is no glob is refused. */
export function withGlobs<Ask extends Globbed>(ask: Ask): Ask {
  return ask.globs === undefined || ask.globs.length === 0 ? ask : { ...ask, keeps: globFilter(ask.globs) };
}
