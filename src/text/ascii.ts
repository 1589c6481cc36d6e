/** Bytes that are known to be ASCII, as a string of its own. */
const { latin1Slice } = Buffer.prototype as unknown as {
  latin1Slice(this: Uint8Array, start: number, end: number): string;
};

/** No view of them is made, which takes longer than to read a name. */
export function fromAscii(bytes: Uint8Array, start: number, end: number): string {
  return latin1Slice.call(bytes, start, end);
}
