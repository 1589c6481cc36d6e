/** The process's input, read through one buffer. */
import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";

const BUFFER_BYTES = 64 * 1024;

/**
 * `process.stdin` allocates a buffer for every read and leaves it to the garbage collector: a flood of 256 MB raised the
 * process by 110 MB on a busy machine. A pipe or socket is read into one buffer instead; a listener must copy what it
 * keeps. Files and terminals do not flood.
 */
export function openStdin(): Readable {
  const kind = fstatSync(0);
  if (!kind.isFIFO() && !kind.isSocket()) return process.stdin;
  const socket: Socket = new Socket({
    fd: 0,
    readable: true,
    writable: false,
    onread: {
      buffer: Buffer.allocUnsafe(BUFFER_BYTES),
      callback: (length, buffer) => {
        socket.emit("data", (buffer as Buffer).subarray(0, length));
        return true;
      },
    },
  });
  // Importing node:process reads every property of it, and a second stream on the same pipe cannot be opened.
  Object.defineProperty(process, "stdin", { value: socket, configurable: true, enumerable: true });
  return socket;
}
