/** File systems of other machines, by the number that Linux reports for them in statfs(2). Elsewhere none is recognized. */
import { statfsSync } from "node:fs";

const NAMES: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "SMB"],
  [0xfe534d42, "SMB"],
  [0x5346414f, "AFS"],
  [0x73757245, "Coda"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x01021997, "9P"],
]);

export function networkFileSystem(directory: string, stat: (path: string) => { readonly type: number } = statfsSync) {
  try {
    // Some systems report the number as a signed one.
    return NAMES.get(stat(directory).type >>> 0);
  } catch {
    return undefined;
  }
}
