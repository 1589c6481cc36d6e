import { expect, test } from "vitest";
import { indexTree } from "../../../test/kit/index-tree.ts";
import { explain } from "../explain.ts";
import { search } from "../search.ts";

const repo = indexTree({
  "requests/sessions.py":
    "class Session:\n    def resolve_redirects(self, resp):\n        return resp\n\n    def send(self, request):\n        return self.resolve_redirects(request)\n",
  "requests/adapters.py": "class HTTPAdapter:\n    def build_response(self, req):\n        return req\n",
  "requests/utils.py": "def default_headers():\n    return {}\n",
  "tests/test_sessions.py":
    "from requests.sessions import Session\n\ndef test_resolve_redirects():\n    assert Session().resolve_redirects(1)\n    assert Session().send(1)\n",
  "docs/sessions.md": "# Sessions\n\nA Session has resolve_redirects and send. Redirects copy the request.\n",
});

const TITLE = "`Session.resolve_redirects` copies the original request, which selects the wrong method";
const TRACE =
  'Traceback:\n  File "/x/site-packages/requests/adapters.py", line 3, in build_response\nValueError: wrong';

const ask = async (query: string) => {
  const { at, ids } = await repo;
  const { hits } = await search({ query, limit: 10 }, at, ids);
  return hits;
};

test("an issue is answered by the source that it is about, before its tests and docs", async () => {
  const hits = await ask(`${TITLE}\n\n${"The second redirect uses the method of the first request. ".repeat(3)}`);
  expect(hits[0]).toMatchObject({ path: "requests/sessions.py", lineStart: 1 });
});

test("a frame of the repository outweighs words", async () => {
  const hits = await ask(
    `The session fails after a while with all requests\n\n${"It is slow, too. ".repeat(8)}\n${TRACE}`,
  );
  expect(hits[0]!.path).toBe("requests/adapters.py");
});

test("the parts of a result add up to its total, in search and in explain", async () => {
  const { at, ids } = await repo;
  const query = `${TITLE}\n\n${"More words about headers of requests. ".repeat(5)}\n${TRACE}`;
  for (const { total, parts, path, lineStart } of await ask(query)) {
    expect(parts.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(total, 5);
    const { hit } = await explain({ query, limit: 10 }, { path, lineStart }, at, ids);
    expect(hit).toMatchObject({ total, parts });
  }
});

test("an issue about nothing in the repository is answered, too", async () => {
  expect(await ask(`${"zzz qqq ".repeat(40)}\n${"!?\n".repeat(20)}`)).toBeInstanceOf(Array);
});
