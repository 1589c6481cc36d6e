/**
 * `node:http`, not imported: an import asks for every export of a built-in module, and one of them is Node's own client
 * with all that belongs to it, 6 MB and some 50 ms that a server has no use for.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule("node:http");
