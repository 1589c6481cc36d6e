/**
 * Preload for dependency-cruiser: it reads TypeScript through the compiler's JavaScript API, which version 7 does not
 * have, and then silently sees no TypeScript at all. Everything else uses 7, which checks types nine times as fast.
 */
import { registerHooks } from "node:module";

registerHooks({
  resolve: (specifier, context, next) => next(specifier.replace(/^typescript(?=$|\/)/, "typescript-6"), context),
});
