/** The version of what is stored, whichever engine keeps it: archives carry it, and another one means to build again. */
export const SCHEMA_VERSION = 3;
