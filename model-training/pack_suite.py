"""Cuts the suite's code files into line windows and packs their tokens: `pack_suite.py SUITE CHECKOUTS VOCAB.json OUT [CHARACTERS]`.

Windows of whole lines up to 1,500 characters (750: pass it), code files below the suite's roots only: the published
setting. What the product cuts at symbols is measured by bench/retrieval instead.
"""
import collections
import json
import os
import sys

import numpy as np

import tok

CODE = set(
    "py pyi js ts tsx mjs cjs jsx go rs java kt kts c h cc cpp hpp hh cxx inl cs rb rake php swift scala ex exs hs lua zig "
    "sh bash zsh bats".split()
)
LARGEST = 1 << 20


def windows(text, characters):
    """(first line, last line, text) of runs of whole lines."""
    first, held, size = 1, [], 0
    for number, line in enumerate(text.split("\n"), 1):
        if held and size + len(line) + 1 > characters:
            yield first, number - 1, "\n".join(held)
            first, held, size = number, [], 0
        held.append(line)
        size += len(line) + 1
    if "".join(held).strip():
        yield first, first + len(held) - 1, "\n".join(held)


def code_files(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in (".git", "node_modules"))
        for name in sorted(files):
            path = os.path.join(folder, name)
            if name.rsplit(".", 1)[-1] in CODE and not os.path.islink(path) and os.path.getsize(path) <= LARGEST:
                yield os.path.relpath(path, root), open(path, encoding="utf-8", errors="replace").read()


def targets_of(annotation):
    for target in annotation.get("relevant", []) + annotation.get("secondary", []):
        if isinstance(target, str):
            yield target, None, None
        else:
            yield target["path"], target.get("start_line"), target.get("end_line")


def category_of(annotation):
    given, query = annotation.get("category"), annotation["query"].strip()
    if isinstance(given, str):
        return given
    return "symbol" if " " not in query else "architecture" if query.lower().startswith("how ") else "semantic"


def main(suite, checkouts, vocabulary, out, characters="1500"):
    tokens = tok.Tok(json.load(open(vocabulary)))
    ids, counts, lengths, repos = [], [], [], {}
    for entry in sorted(json.load(open(f"{suite}/suite.json")), key=lambda one: one["name"]):
        repo = repos[entry["name"]] = {"paths": [], "starts": [], "ends": [], "tasks": []}
        for path, text in code_files(os.path.join(checkouts, entry["name"], entry.get("root") or "")):
            for start, end, window in windows(text, int(characters)):
                bag = collections.Counter(tokens.ids(window))
                ids.extend(bag.keys())
                counts.extend(min(255, count) for count in bag.values())
                lengths.append(len(bag))
                repo["paths"].append(path)
                repo["starts"].append(start)
                repo["ends"].append(end)
        for one in json.load(open(f"{suite}/annotations/{entry['name']}.json")):
            asked = sorted(set(tokens.ids(one["query"])))
            task = {"query": one["query"], "category": category_of(one), "ids": asked, "targets": list(targets_of(one))}
            repo["tasks"].append(task)
    os.makedirs(out, exist_ok=True)
    json.dump(repos, open(f"{out}/suite.json", "w"))
    packed = {"ids": np.array(ids, np.uint16), "counts": np.array(counts, np.uint8), "lengths": np.array(lengths, np.uint16)}
    np.savez_compressed(f"{out}/bags.npz", **packed)


if __name__ == "__main__":
    main(*sys.argv[1:])
