/** Roslyn as an oracle: `csharp-uses` is built with the compiler of a .NET SDK and run once for the whole tree. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type ListedUses, listedOracle } from "./listed-uses.ts";
import type { Oracle } from "./oracle.ts";

export function csharpOracle(root: string, tools: string): Oracle {
  const sdk = new Sdk();
  const program = join(tools, "csharp-uses.dll");
  mkdirSync(tools, { recursive: true });
  const references = readdirSync(sdk.assemblies).filter((it) => it.endsWith(".dll"));
  const compiled = sdk.run([
    join(sdk.roslyn, "csc.dll"),
    ...["-nologo", "-langversion:8", "-nowarn:CS8632,CS1701,CS1702", `-out:${program}`],
    ...references.map((it) => `-r:${join(sdk.assemblies, it)}`),
    ...ROSLYN.map((it) => `-r:${join(sdk.roslyn, it)}`),
    join(import.meta.dirname, "csharp-uses", "Program.cs"),
  ]);
  if (!existsSync(program)) throw new Error(`csharp-uses cannot be built: ${compiled}`);
  for (const it of [...ROSLYN, "csc.runtimeconfig.json"]) copyFileSync(join(sdk.roslyn, it), join(tools, named(it)));
  const answer = sdk.run([program, root, sdk.assemblies]);
  const listed = JSON.parse(answer) as ListedUses;
  return listedOracle(root, listed, "utf16", `${listed.files.length} files, ${listed.unknown?.length} names not bound`);
}

function named(file: string): string {
  return file.replace("csc.runtimeconfig", "csharp-uses.runtimeconfig");
}

const ROSLYN = ["Microsoft.CodeAnalysis.dll", "Microsoft.CodeAnalysis.CSharp.dll"];

class Sdk {
  readonly roslyn: string;
  readonly assemblies: string;

  constructor() {
    const listed = this.run(["--list-sdks"]);
    const [, version, folder] = /^(\S+) \[(.*)\]/m.exec(listed) ?? [];
    if (version === undefined) throw new Error("This oracle needs a .NET SDK: `dotnet` on the PATH or in DOTNET.");
    this.roslyn = join(folder!, version, "Roslyn", "bincore");
    const pack = join(folder!, "..", "packs", "Microsoft.NETCore.App.Ref");
    const [newest] = readdirSync(pack).sort().toReversed();
    const [target] = readdirSync(join(pack, newest!, "ref"));
    this.assemblies = join(pack, newest!, "ref", target!);
  }

  run(given: readonly string[]): string {
    const env = { ...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1" };
    const { stdout, stderr } = spawnSync(process.env.DOTNET ?? "dotnet", given, {
      env,
      encoding: "utf8",
      maxBuffer: 1 << 30,
    });
    return stdout || stderr;
  }
}
