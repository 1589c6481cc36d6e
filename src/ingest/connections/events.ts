/** Events, signals and tokens of injection with literal names: who listens or provides, and who sends or asks. */
import type { ConnectionKind, ConnectionTarget } from "../../model/connections.ts";
import { listItems, plainText } from "./call.ts";
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

const NAMED_EVENTS: readonly ConnectionRule[] = CALLS.map(({ kind, side, languages, names, receiver, handler }) => ({
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
}));

/** Signals of Django: `@receiver(order_placed)`, `order_placed.connect(f)`, `order_placed.send(sender)`. */
const SIGNALS: ConnectionRule = {
  languages: ["python"],
  names: ["receiver", "connect", "send", "send_robust", "asend", "asend_robust"],
  read(use, file) {
    if (!/\b[sS]ignals?\b/.test(file.text)) return;
    const args = file.call(use)?.args ?? [];
    const isListed = use.name === "receiver" && !use.receiver && file.isAnnotation(use);
    if (isListed) {
      const symbol = file.symbolAfter(use.end, ({ kind }) => kind === "fn" || kind === "method");
      for (const it of args[0] ? listItems(file.text, args[0]) : [])
        addSignal(file, use.at, file.text.slice(it.start, it.end), symbol === undefined ? undefined : { symbol });
    } else if (use.name === "connect" && args[0] !== undefined)
      addSignal(file, use.at, use.receiver, targetOf(file, args[0]));
    else if (use.name.includes("send")) addSignal(file, use.at, use.receiver);
  },
};

/** With a target it listens. */
function addSignal(file: ConnectionFile, at: number, written: string, target?: ConnectionTarget): void {
  const key = /^(?:\w+\.)*([a-z]\w+)$/.exec(written)?.[1];
  // Those of Django itself are sent by every model and request.
  if (key === undefined || OF_DJANGO.test(key)) return;
  file.add(at, { side: target ? "definition" : "use", kind: "event", key, ...(target && { target }) });
}

const OF_DJANGO =
  /^(?:(?:pre|post)_(?:save|delete|init|migrate)|m2m_changed|class_prepared|request_(?:started|finished))$/;

/** Events that are types: `event(new OrderPlaced($order))`, `OrderPlaced::dispatch()`, `publisher.publishEvent(new OrderPlaced())`. */
const SENT_TYPES: ConnectionRule = {
  languages: ["php", "java", "kotlin"],
  names: ["event", "broadcast", "dispatch", "dispatchSync", "dispatchIf", "dispatchAfterResponse", "publishEvent"],
  read(use, file) {
    const [first] = file.call(use)?.args ?? [];
    const made =
      first && /^(?:new\s+)?\\?(?:[\w\\]*\\)?([A-Z]\w*)\s*\(/.exec(file.text.slice(first.start, first.end))?.[1];
    const own = /(?:^|\\)([A-Z]\w*)$/.exec(use.receiver)?.[1];
    const type = use.name.startsWith("dispatch") && own !== undefined && !FACADES.has(own) ? own : made;
    if (type !== undefined) file.add(use.at, { side: "use", kind: "event", key: type });
  },
};

const FACADES: ReadonlySet<string> = new Set(["Event", "Bus", "Queue", "Broadcast"]);

/** `@EventListener void on(OrderPlaced event)`. */
const SPRING_LISTENERS: ConnectionRule = {
  languages: ["java", "kotlin"],
  names: ["EventListener", "TransactionalEventListener"],
  read(use, file) {
    const symbol = file.isAnnotation(use)
      ? file.symbolAfter(use.end, ({ kind }) => kind === "method" || kind === "fn")
      : undefined;
    if (symbol !== undefined) addListener(file, symbol);
  },
};

/** A function that is called with an event of the type of its first parameter. */
function addListener(file: ConnectionFile, symbol: number): void {
  const at = file.nameOf(symbol);
  const head = file.text.slice(at, at + 200);
  const type = /^\w+\(\s*(?:final\s+)?(?:\w+:\s*)?\\?(?:[\w\\.]*[\\.])?([A-Z]\w*)\b/.exec(head)?.[1];
  if (type !== undefined) file.add(at, { side: "definition", kind: "event", key: type, target: { symbol } });
}

const HANDLERS = /(?:^|\/)(?:Listeners|Jobs)\//;
const LISTENS = /([A-Z]\w*)::class\s*=>\s*\[([^\]]*)\]/g;

/** Listeners and jobs of Laravel, by their folders and by `$listen`. */
export function readLaravelEvents(file: ConnectionFile): void {
  if (file.language !== "php") return;
  if (HANDLERS.test(file.path))
    for (const [symbol, { name, kind, parent }] of file.symbols.entries()) {
      if (kind !== "method" || name !== "handle" || parent === undefined) continue;
      if (file.path.includes("Listeners/")) addListener(file, symbol);
      else
        file.add(file.nameOf(symbol), {
          ...{ side: "definition", kind: "event", key: file.symbols[parent]!.name, target: { symbol } },
        });
    }
  if (!file.text.includes("$listen")) return;
  for (const it of file.text.matchAll(LISTENS))
    for (const [, listener] of it[2]!.matchAll(/([A-Z]\w*)::class/g))
      file.add(it.index, { side: "definition", kind: "event", key: it[1]!, target: { name: `${listener}#handle` } });
}

export const EVENT_RULES: readonly ConnectionRule[] = [...NAMED_EVENTS, SIGNALS, SENT_TYPES, SPRING_LISTENERS];

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
