/** The printed help, one file per command. `npm test -- -u` rewrites them; read the diff. */
import { expect, test } from "vitest";
import { helpTexts } from "../../scripts/docs/cli.ts";

for (const [name, text] of await helpTexts()) {
  test(name, () => expect(text).toMatchFileSnapshot(`help/${name}.txt`));
}
