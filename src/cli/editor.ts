/** `--open N`: opens a result in `$VISUAL` or `$EDITOR` at its line. */
import { spawn } from "node:child_process";
import { CompassError } from "../model/errors.ts";
import type { Call } from "./command.ts";

export interface EditorTarget {
  readonly path: string;
  readonly line: number;
}

/** The arguments that open a file at a line; the first word of the command decides. */
export function editorArguments(editor: string, { path, line }: EditorTarget): string[] {
  const program = editor
    .replace(/\s.*$/, "")
    .replace(/^.*[\\/]/, "")
    .replace(/\.(exe|cmd)$/i, "");
  if (/^(code|code-insiders|codium|cursor|windsurf)$/.test(program)) return ["-g", `${path}:${line}`];
  if (/^(subl|zed|hx|helix|micro)$/.test(program)) return [`${path}:${line}`];
  if (/^(idea|pycharm|webstorm|goland|clion|rustrover)$/.test(program)) return ["--line", String(line), path];
  return [`+${line}`, path];
}

/** Resolves when the editor has ended. */
export async function openInEditor({ env }: Pick<Call, "env">, target: EditorTarget): Promise<void> {
  const editor = env.VISUAL || env.EDITOR;
  if (!editor) {
    const reason = "--open needs an editor";
    throw new CompassError("invalid_input", { reason, suggestion: "Set EDITOR, for example EDITOR=vim." });
  }
  // As git starts it: the variable may have arguments of its own, the path stays one word.
  const [shell, ...before] =
    process.platform === "win32" ? ["cmd", "/c", editor] : ["sh", "-c", `${editor} "$@"`, editor];
  const child = spawn(shell!, [...before, ...editorArguments(editor, target)], { stdio: "inherit" });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once("close", resolve).once("error", reject),
  );
  if (code !== 0) throw new CompassError("invalid_input", { reason: `${editor} ended with code ${code}` });
}
