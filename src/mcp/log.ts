/** The server's voice on stderr: short lines, and few of them, since clients keep what they read. */
import { visibleText } from "../tools/json.ts";

export type Log = (line: string) => void;

const BURST = 50;
const PER_SECOND = 5;
const LONGEST = 2_000;

export function rateLimited(write: (text: string) => void, now: () => number): Log {
  let allowance = BURST;
  let dropped = 0;
  let last = now();
  return (line) => {
    const time = now();
    allowance = Math.min(BURST, allowance + ((time - last) / 1000) * PER_SECOND);
    last = time;
    if (allowance < 1) {
      dropped++;
      return;
    }
    allowance--;
    const missed = dropped > 0 ? ` (${dropped} lines dropped)` : "";
    dropped = 0;
    // A path in it comes from a repository, and whoever follows the log may do so on a terminal.
    write(`codecompass: ${visibleText(line.slice(0, LONGEST))}${missed}\n`);
  };
}
