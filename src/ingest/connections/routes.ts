/** HTTP routes: the rows of all languages. */
import { ANNOTATION_ROUTES } from "./annotation-routes.ts";
import { BLOCK_ROUTES } from "./block-routes.ts";
import { CALL_ROUTES } from "./call-routes.ts";
import type { ConnectionRule } from "./connections.ts";
import { ECMASCRIPT_ROUTES } from "./ecmascript-routes.ts";
import { PYTHON_ROUTES } from "./python-routes.ts";

export const ROUTE_RULES: readonly ConnectionRule[] = [
  ...ECMASCRIPT_ROUTES,
  ...PYTHON_ROUTES,
  ...ANNOTATION_ROUTES,
  ...CALL_ROUTES,
  ...BLOCK_ROUTES,
];
