/**
 * A server cuts a question off when its time is over. One that stands still, or that a network has cut off without a word,
 * does not even do that, and its connection looks as good as ever: whoever asked would wait for a quarter of an hour.
 */
import { Silent } from "./failures.ts";

/** The answer, or `Silent` where none came in time. The connection is of no use any more. */
export function unlessSilent<T>(asked: Promise<T>, mostMs: number): Promise<T> {
  const { promise: silent, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Silent()), mostMs);
  timer.unref();
  return Promise.race([asked, silent]).finally(() => clearTimeout(timer));
}
