/** The languages of filters, for the command line. */
export { languageGlobs } from "../languages/index.ts";
