/** HTTP routes: the rows of all languages. */
import type { ConnectionRule } from "./connections.ts";
import { ECMASCRIPT_ROUTES } from "./ecmascript-routes.ts";
import { PYTHON_ROUTES } from "./python-routes.ts";

export const ROUTE_RULES: readonly ConnectionRule[] = [...ECMASCRIPT_ROUTES, ...PYTHON_ROUTES];
