import { expect, test } from "vitest";
import { RequestQueue } from "./reader-offload.ts";

/** Work that is done when the test says so. */
function works(turns: RequestQueue) {
  const begun: string[] = [];
  const end = new Map<string, PromiseWithResolvers<string>>();
  const begin = (name: string, signal?: AbortSignal) => {
    const done = Promise.withResolvers<string>();
    end.set(name, done);
    return turns.take(() => {
      begun.push(name);
      return done.promise;
    }, signal);
  };
  return { begun, begin, end: (name: string) => end.get(name)! };
}

test("so many at once, the others in the order in which they came", async () => {
  const { begun, begin, end } = works(new RequestQueue(2));
  const answers = ["a", "b", "c", "d"].map((name) => begin(name));
  expect(begun).toEqual(["a", "b"]);
  end("b").resolve("b");
  await answers[1];
  await expect.poll(() => begun).toEqual(["a", "b", "c"]);
  for (const name of ["a", "c", "d"]) end(name).resolve(name);
  expect(await Promise.all(answers)).toEqual(["a", "b", "c", "d"]);
});

test("work that fails gives its place on", async () => {
  const { begin, end } = works(new RequestQueue(1));
  const [failing, next] = [begin("failing"), begin("next")];
  end("failing").reject(new Error("no"));
  await expect(failing).rejects.toThrow("no");
  end("next").resolve("next");
  expect(await next).toBe("next");
});

test("a cancelled request does not start, and none behind waits for it", async () => {
  const { begun, begin, end } = works(new RequestQueue(1));
  const stop = new AbortController();
  const [first, impatient, last] = [begin("first"), begin("impatient", stop.signal), begin("last")];
  stop.abort(new Error("gone"));
  await expect(impatient).rejects.toThrow("gone");
  for (const name of ["first", "last"]) end(name).resolve(name);
  expect(await Promise.all([first, last])).toEqual(["first", "last"]);
  expect(begun).toEqual(["first", "last"]);
});

test("many in a row let others be heard in between", async () => {
  const turns = new RequestQueue(1);
  let heard = 0;
  const listen = () => {
    heard++;
    timer = setImmediate(listen);
  };
  let timer = setImmediate(listen);
  const busy = async () => {
    for (const until = performance.now() + 2; performance.now() < until; );
    return heard;
  };
  const heardBefore = await Promise.all(Array.from({ length: 20 }, () => turns.take(busy)));
  clearImmediate(timer);
  expect(heardBefore.at(-1)).toBeGreaterThan(1);
});
