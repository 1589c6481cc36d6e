/** The library's public surface: the core API, opened over the machine's own adapters. */
export type * from "./compass/compass.ts";
export { type OpenOptions, openCompass } from "./compose/compose.ts";
export { type Config, DEFAULTS } from "./config/schema.ts";
export { CompassError, type ErrorCode } from "./model/errors.ts";
export type * from "./model/search.ts";
