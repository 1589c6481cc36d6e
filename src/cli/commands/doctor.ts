import { type CommandSpec, MODEL_FLAG, WORKSPACE_FLAGS } from "../command.ts";
import { type DoctorFinding, diagnose } from "../doctor-checks.ts";
import { createStyle, type Style } from "../render/style.ts";

export default {
  name: "doctor",
  summary: "Check the installation, the workspace and the index",
  group: "Commands:",
  flags: [MODEL_FLAG, ...WORKSPACE_FLAGS],
  examples: ["doctor", "doctor --json"],

  async run(call) {
    const findings = await diagnose(call);
    const style = createStyle(call.terminal);
    call.terminal.out(
      call.globals.json
        ? `${JSON.stringify({ checks: findings })}\n`
        : findings.map((one) => line(one, style)).join(""),
    );
    return findings.some((one) => one.status === "fail") ? 2 : 0;
  },
} satisfies CommandSpec;

function line({ status, check, detail, next }: DoctorFinding, style: Style): string {
  const word = { ok: style.good("ok  "), warn: style.warn("warn"), fail: style.bad("fail") }[status];
  return `${word}  ${check}: ${detail}\n${next ? `      ${next}\n` : ""}`;
}
