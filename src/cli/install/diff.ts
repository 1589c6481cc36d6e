/** The difference of two versions of a configuration file, as people read it. */

const CONTEXT = 2;
/** Files of one line exist, and so do tokens in other servers' entries: a neighbour's line is shown only so far. */
const WIDTH = 160;

export function renderDiff(name: string, before: string | undefined, after: string | undefined): string {
  const old = splitLines(before ?? "");
  const now = splitLines(after ?? "");
  const shortest = Math.min(old.length, now.length);
  let head = 0;
  while (head < shortest && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const from = Math.max(0, head - CONTEXT);
  const until = Math.max(0, tail - CONTEXT);
  const [oldEnd, newEnd] = [old.length - until, now.length - until];
  return [
    `--- ${before === undefined ? "(none)" : name}`,
    `+++ ${after === undefined ? "(none)" : name}`,
    `@@ -${range(from, oldEnd)} +${range(from, newEnd)} @@`,
    ...old.slice(from, head).map((line) => ` ${cut(line)}`),
    ...old.slice(head, old.length - tail).map((line) => `-${cut(line)}`),
    ...now.slice(head, now.length - tail).map((line) => `+${cut(line)}`),
    ...old.slice(old.length - tail, oldEnd).map((line) => ` ${cut(line)}`),
    "",
  ].join("\n");
}

function range(from: number, end: number): string {
  return `${end > from ? from + 1 : from},${end - from}`;
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function cut(line: string): string {
  return line.length > WIDTH ? `${line.slice(0, WIDTH)}…` : line;
}
