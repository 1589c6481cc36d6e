"""Packs mined pairs into a shard of token ids: `python3 pack_pairs.py BENCHMARK_CHECKOUTS VOCAB.json OUT_DIR NAME MINED.jsonl.gz …`

Drops documents that share more than 30 % of their three-line shingles with a benchmark repository, duplicates, and
questions asked more than four times. A repository's number is that of sources.json; held-out ones go to a shard of their
own. Needs `xz`.
"""
import collections
import gzip
import json
import os
import random
import subprocess
import sys
import zlib

import numpy as np

import tok

KINDS = ("doc", "cmt", "name", "commit", "md", "mdt", "test", "path", "top")
MOST = dict(doc=12000, cmt=5000, name=6000, commit=6000, md=3000, mdt=3000, test=4000, path=3000, top=3000)
CODE = set("py js ts tsx go rs java kt c h cc cpp hpp cs rb php swift scala ex exs hs lua zig sh bash md mjs cjs".split())
MOST_TOKENS, MOST_REPEATS, KNOWN_SHARE = 120, 4, 0.3


def shingles(text):
    """Hashes of runs of three lines, ignoring white space."""
    lines = ["".join(line.split()) for line in text.split("\n") if len(line.strip()) > 6]
    runs = ["\n".join(lines[at : at + 3]) for at in range(max(1, len(lines) - 2))]
    return {zlib.crc32(run.encode("utf8", "replace")) << 16 | zlib.adler32(run.encode("utf8", "replace")) & 0xFFFF for run in runs}


def benchmark_shingles(root):
    known = set()
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in (".git", "node_modules")]
        for name in files:
            path = os.path.join(folder, name)
            if name.rsplit(".", 1)[-1] in CODE and os.path.isfile(path) and os.path.getsize(path) <= 400_000:
                known |= shingles(open(path, encoding="latin1").read())
    return known


class Shard:
    """Arrays in the format of data.py; ids within a bag and document numbers as differences."""

    def __init__(self):
        self.columns = collections.defaultdict(list)
        self.files = {}

    def add(self, repo, path, path_ids, bag, questions):
        put = self.columns
        number = len(put["dl"])
        put["dl"].append(len(bag))
        put["drepo"].append(repo)
        self._ids("di", bag)
        put["dc"].extend(min(255, bag[token]) for token in sorted(bag))
        if (repo, path) not in self.files:
            self.files[repo, path] = len(self.files)
            put["fl"].append(len(path_ids))
            put["fi"].extend(path_ids)
        put["dfile"].append(self.files[repo, path])
        for kind, asked in questions:
            put["ql"].append(len(asked))
            self._ids("qi", asked)
            put["qd"].append(number)
            put["qt"].append(KINDS.index(kind))

    def _ids(self, column, bag):
        ordered = sorted(bag)
        self.columns[column].extend(int(step) for step in np.diff(ordered, prepend=0))

    def save(self, file):
        put = {name: np.array(values, np.int64) for name, values in self.columns.items()}
        packed = {name: put[name].astype(np.uint8) for name in ("dl", "dc", "ql", "qt", "fl")}
        packed |= {name: put[name].astype(np.uint16) for name in ("drepo", "fi")}
        packed |= {name: np.diff(put[name], prepend=0).astype(np.int32) for name in ("dfile", "qd")}
        for name in ("di", "qi"):
            packed |= {f"{name}_lo": (put[name] & 255).astype(np.uint8), f"{name}_hi": (put[name] >> 8).astype(np.uint8)}
        np.savez(file, **packed)
        subprocess.run(["xz", "-T0", "-6", "-f", file], check=True)


def bag_of(ids, most):
    bag = collections.Counter()
    for token in ids:
        if token in bag or len(bag) < most:
            bag[token] += 1
    return bag


def main(benchmark, vocabulary, out, name, *mined):
    tokens, known = tok.Tok(json.load(open(vocabulary))), benchmark_shingles(benchmark)
    sources = {source["repository"].replace("/", "+"): source for source in json.load(open("sources.json"))}
    shards, seen, asked = {"train": Shard(), "held": Shard()}, set(), collections.Counter()
    for file in mined:
        source = sources[os.path.basename(file).removesuffix(".jsonl.gz")]
        shard, left = shards["held" if source["use"] == "held" else "train"], dict(MOST)
        rows = [json.loads(line) for line in gzip.open(file, "rt")]
        random.Random(source["id"]).shuffle(rows)
        for row in rows:
            key, of_row = zlib.crc32(row["d"].encode("utf8", "replace")), shingles(row["d"])
            if key in seen or len(of_row & known) > KNOWN_SHARE * len(of_row):
                continue
            bag, questions = bag_of(tokens.ids(row["d"][:2600]), MOST_TOKENS), []
            for kind, text in row["q"]:
                words = bag_of(tokens.ids(text), 40)
                if len(words) >= 2 and left[kind] > 0 and asked[frozenset(words)] < MOST_REPEATS:
                    asked[frozenset(words)] += 1
                    left[kind] -= 1
                    questions.append((kind, words))
            if len(bag) < 4 or not questions:
                continue
            seen.add(key)
            path = "/".join(row["p"].split("/")[-4:]).rsplit(".", 1)[0]
            shard.add(source["id"], row["p"], tokens.ids(path)[:20], bag, questions)
    for split, shard in shards.items():
        if shard.columns:
            shard.save(f"{out}/{split}_{name}.npz")


if __name__ == "__main__":
    main(*sys.argv[1:])
