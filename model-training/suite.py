"""NDCG@10 of the model alone on the retrieval suite: chunks by cosine, no ranking, no path tokens. For measuring only.

`python3 suite.py PACKED_SUITE MODEL.bin`; PACKED_SUITE is written by pack_suite.py from the suite's checkouts.
"""
import json
import math
import struct
import sys

import numpy as np

import export


class Suite:
    def __init__(self, directory):
        self.repos = json.load(open(f"{directory}/suite.json"))
        bags = np.load(f"{directory}/bags.npz")
        self.ids, self.lengths = bags["ids"].astype(np.int64), bags["lengths"].astype(np.int64)
        self.weights = 1 + np.log(bags["counts"].astype(np.float32))

    def score(self, parts):
        """The mean over repositories, over each half of them (every second one), and by category."""
        rows = parts.rows.astype(np.float32)
        by_repo, by_category, first, at = [], {}, 0, 0
        for name in sorted(self.repos):
            repo = self.repos[name]
            count = len(repo["paths"])
            lengths = self.lengths[first : first + count]
            total = int(lengths.sum())
            shown = self._documents(rows, parts, slice(at, at + total), lengths)
            first, at = first + count, at + total
            scores = [self._query(task, repo, rows, parts, shown) for task in repo["tasks"]]
            by_repo.append(np.mean(scores))
            for task, score in zip(repo["tasks"], scores):
                by_category.setdefault(task["category"], {}).setdefault(name, []).append(score)
        categories = {name: _mean(np.mean(s) for s in repos.values()) for name, repos in by_category.items()}
        return {"all": _mean(by_repo), "even": _mean(by_repo[::2]), "odd": _mean(by_repo[1::2]), **categories}

    def _documents(self, rows, parts, span, lengths):
        ids = self.ids[span]
        weights = self.weights[span] * parts.document_weights[ids]
        out = np.zeros((len(lengths), rows.shape[1]), np.float32)
        ends = np.cumsum(lengths)
        for row, (start, end) in enumerate(zip(ends - lengths, ends)):
            out[row] = weights[start:end] @ rows[ids[start:end]]
        return _unit(out)

    def _query(self, task, repo, rows, parts, shown):
        ids = task["ids"]
        asked = _unit((parts.query_weights[ids] @ rows[ids] @ parts.query_map)[None, :])[0] if ids else np.zeros(rows.shape[1])
        best = np.argsort(-(shown @ asked), kind="stable")[:10]
        return ndcg(task["targets"], [(repo["paths"][i], repo["starts"][i], repo["ends"][i]) for i in best])


def ndcg(targets, results):
    """Binary gain; a target counts at the first result that covers it."""
    ranks = set()
    for path, start, end in targets:
        for rank, (found, a, b) in enumerate(results):
            if _same(found, path) and (start is None or (b >= start and a <= end)):
                ranks.add(rank)
                break
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(targets))))
    return sum(1 / math.log2(rank + 2) for rank in ranks) / ideal if ideal else 0.0


def _same(a, b):
    return a == b or a.endswith("/" + b) or b.endswith("/" + a)


def _unit(rows):
    return rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)


def _mean(values):
    return round(float(np.mean(list(values))), 4)


def read(file):
    """Reads what export.write wrote."""
    given = open(file, "rb").read()
    header_bytes = struct.unpack("<I", given[4:8])[0]
    header = json.loads(given[8 : 8 + header_bytes].rstrip(b"\0"))
    size, dims = header["vocab"], header["dim"]
    at = 8 + header_bytes + -(-header["vocabBytes"] // 4) * 4
    floats = np.frombuffer(given, "<f4", 2 * size + dims * dims, at)
    rows = np.frombuffer(given, np.int8, size * dims, at + floats.nbytes).reshape(size, dims)
    return export.Parts(rows, floats[:size], floats[size : 2 * size], floats[2 * size :].reshape(dims, dims))


if __name__ == "__main__":
    print(Suite(sys.argv[1]).score(read(sys.argv[2])))
