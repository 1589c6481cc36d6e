/**
 * Names in a tree object that may become files. Git refuses to make the others, but a crafted tree object may contain them:
 * they would leave the directory or become its repository.
 */
import { Buffer } from "node:buffer";

/** Characters that the file system of macOS drops from a name, so that `.g\u200cit` is `.git`. */
const DROPPED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:$|[. ])/i;

/** `name` has one character per byte. */
export function isSafeTreeName(name: string, platform: NodeJS.Platform = process.platform): boolean {
  if (/[/\0]/.test(name)) return false;
  const text = Buffer.from(name, "latin1").toString("utf8").replace(DROPPED, "");
  if (/^(?:\.{0,2}|\.git|git~\d+)$/i.test(text)) return false;
  // There `\` separates, `:` begins a stream, and dots and spaces at the end do not count.
  return platform !== "win32" || !(/[\\:*?"<>|\p{Cc}]/u.test(text) || /[. ]$/.test(text) || DEVICE.test(text));
}
