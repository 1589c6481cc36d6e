/** Replaces the synchronous calls of `node:fs` in tests: `intercept` may look at, or change, the arguments of each call. */
export function interceptFileCalls<Module extends object>(
  real: Module,
  intercept: (args: readonly unknown[]) => readonly unknown[],
): Module & { readonly default: Module } {
  const intercepted = <T extends object>(call: T): T =>
    new Proxy(call, {
      apply: (target, self, args) => Reflect.apply(target as never, self, intercept(args)),
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        return name === "native" ? intercepted(value as object) : value;
      },
    });
  const calls = Object.entries(real).map(([name, value]) => [
    name,
    name.endsWith("Sync") && typeof value === "function" ? intercepted(value) : value,
  ]);
  return { ...Object.fromEntries(calls), default: real };
}
