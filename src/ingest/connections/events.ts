/** Events, signals and tokens of injection with literal names: who listens or provides, and who sends or asks. */
import type { ConnectionKind } from "../../model/connections.ts";
import { plainText } from "./call.ts";
import type { ConnectionFile, ConnectionRule } from "./connections.ts";
import { targetOf } from "./route-facts.ts";

const ECMASCRIPT = ["javascript", "typescript", "tsx", "flow", "vue", "svelte", "astro"];

/** Names that Node, the browser and their libraries give to their own events. */
const COMMON: ReadonlySet<string> = new Set(
  (
    "error data end close finish open message connect connection disconnect ready exit drain pipe readable listening request response " +
    "change click input submit load resize scroll focus blur keydown keyup keypress mousedown mouseup mousemove mouseenter mouseleave " +
    "touchstart touchend touchmove abort timeout upgrade uncaughtException unhandledRejection SIGINT SIGTERM DOMContentLoaded " +
    "beforeunload popstate hashchange pointerdown pointerup pointermove wheel dragover drop storage online offline"
  ).split(" "),
);

interface NamedCall {
  readonly kind: ConnectionKind;
  readonly side: "definition" | "use";
  readonly languages: readonly string[];
  readonly names: readonly string[];
  readonly receiver?: RegExp;
  /** Which argument is called, counted from 1. */
  readonly handler?: number;
}

const CALLS: readonly NamedCall[] = [
  {
    ...{ kind: "event", side: "definition", handler: 1 },
    ...{ languages: ECMASCRIPT, names: ["on", "once", "addListener", "subscribe"] },
  },
  {
    ...{ kind: "event", side: "use" },
    // Without a receiver, a component tells its parent.
    ...{ languages: ECMASCRIPT, names: ["emit", "publish", "broadcast"], receiver: /./ },
  },
  { kind: "event", side: "definition", languages: ["php"], names: ["listen"], receiver: /Event$/, handler: 1 },
  { kind: "event", side: "use", languages: ["php"], names: ["dispatch", "fire", "event"] },
  { kind: "event", side: "definition", languages: ["ruby"], names: ["subscribe"], handler: 1 },
  { kind: "event", side: "use", languages: ["ruby"], names: ["instrument", "publish"] },
  { kind: "event", side: "definition", languages: ["python"], names: ["on", "on_event", "subscribe"], handler: 1 },
  { kind: "event", side: "use", languages: ["python"], names: ["emit", "publish"] },
  { kind: "injection", side: "definition", languages: ECMASCRIPT, names: ["provide"], handler: 1 },
  { kind: "injection", side: "use", languages: ECMASCRIPT, names: ["Inject", "inject"] },
  {
    ...{ kind: "injection", side: "definition", languages: ["php"], names: ["bind", "singleton", "scoped"] },
    ...{ receiver: /\bapp(?:\(\))?$/, handler: 1 },
  },
  { kind: "injection", side: "use", languages: ["php"], names: ["app", "resolve"], receiver: /^$/ },
  { kind: "injection", side: "use", languages: ["php"], names: ["make"], receiver: /\bapp(?:\(\))?$/i },
  { kind: "injection", side: "use", languages: ["java", "kotlin"], names: ["Qualifier", "Named"] },
  {
    kind: "injection",
    side: "definition",
    languages: ["java", "kotlin"],
    names: ["Component", "Service", "Repository", "Bean"],
  },
];

export const EVENT_RULES: readonly ConnectionRule[] = CALLS.map(
  ({ kind, side, languages, names, receiver, handler }) => ({
    languages,
    names,
    read(use, file) {
      if (receiver !== undefined && !receiver.test(use.receiver)) return;
      const [first, ...rest] = file.call(use)?.args ?? [];
      const key = first && plainText(file.text, first);
      if (!key || !/^[\w.:/-]{2,80}$/.test(key) || (kind === "event" && COMMON.has(key))) return;
      const called = handler === undefined ? undefined : rest[handler - 1];
      if (handler !== undefined && called === undefined && !file.isAnnotation(use)) return;
      const after = file.isAnnotation(use) ? file.symbolAfter(use.at, () => true) : undefined;
      const target = called ? targetOf(file, called) : after === undefined ? undefined : { symbol: after };
      file.add(use.at, { side, kind, key, ...(target && side === "definition" && { target }) });
    },
  }),
);

/** `{ provide: "TOKEN", useClass: Store }` of Nest and Angular. */
export function readProviders(file: ConnectionFile): void {
  if (!ECMASCRIPT.includes(file.language) || !file.text.includes("provide:")) return;
  for (const it of file.text.matchAll(
    /\bprovide:\s*["'`]([\w$.:/-]+)["'`]\s*,\s*use(?:Class|Existing|Factory|Value):\s*([A-Za-z_$][\w$]*)?/g,
  )) {
    const at = it[2] === undefined ? undefined : it.index + it[0].length - it[2].length;
    file.add(it.index, {
      ...{ side: "definition", kind: "injection", key: it[1]! },
      ...(at !== undefined && { target: file.siteAt(at) }),
    });
  }
}
