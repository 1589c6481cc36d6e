/** The name that the source itself spells for the function of a frame; undefined where a compiler made the name up. */
export function plainName(symbol: string): string | undefined {
  const inside = MADE_FROM.exec(symbol)
    ?.slice(1)
    .find((name) => name !== undefined);
  if (inside !== undefined) return inside;
  const called = symbol.replace(/\(.*\)$/s, "").replace(/\/\d+$/, "");
  const parts = called
    .replace(
      /<[^<>]*>|\{\{?[^{}]*\}?\}|\(\*?([\w.[\]]+)\)|\[[^\]]*\]/g,
      (whole, receiver) => receiver ?? (whole.startsWith("{") ? "" : "<>"),
    )
    .split(/::|->|[\s.#/\\:$*]+/)
    .filter((part) => part !== "" && !/^(?:func)?\d+$/.test(part));
  const last = parts.at(-1)?.replace(/[!?=]+$/, "");
  return last !== undefined && /^[\p{L}_][\p{L}\p{N}_]+$/u.test(last) && !MADE_UP.test(last) ? last : undefined;
}

/** `<Add>d__5.MoveNext`, `<<Main>$>g__Add|0`, `lambda$add$0`, `-add/2-fun-0-`, `<class:Cart>` */
const MADE_FROM = /<(\w+)>(?:[db]__|g__)|g__(\w+)\||lambda\$(\w+)\$\d|"?-(\w+)\/\d+-|<(?:class|module):(\w+)>/;

const MADE_UP =
  /^(?:module|lambda|anonymous|main|init|clinit|new|constructor|eval|closure|invoke|invokeSuspend|MoveNext|listcomp|genexpr|dictcomp|setcomp|top|fn|call|apply|default|_?callee\d*|_loop\d*|step|next|throw|__\w+|access\d+|block|each|run|test|it)$/;
