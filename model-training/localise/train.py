#!/usr/bin/env python3
"""Learns the weights of the signals from commits: a linear ranker, softmax over the candidates of each commit.

    train.py signals-of-commits.jsonl [--issues signals-of-issues.jsonl] [--l2 0.003]

Reads what dump.ts writes and prints the rows of SIGNAL_WEIGHTS in src/query/issue/rank-issue.ts. The weights are pulled gently
towards PRIOR, a guess by hand: commit messages have no title of their own, no stack frames and few dotted names, so what
they do not teach stays as it was guessed. Deterministic. Needs numpy only.
"""
import argparse, json
import numpy as np

PRIOR = {
    "title_text": 0.5, "title_text_sum": 0.3, "text": 0.6, "text_sum": 0.8, "code_text": 0.4, "code_text_sum": 0.4,
    "definitions": 1, "qualified_definitions": 1, "module": 0.8, "quoted_path": 1, "stack_frame": 1.2,
    "title_in_path": 0.8, "path_in_title": 0.4, "path_in_text": 0.5, "similarity": 0.8, "imported_by_likely": 0.3,
    "imports_likely": 0.2, "tested_by_likely": 0.5, "test": -1.5, "doc": -1.2, "example": -0.8, "data": -0.8,
    "entry": -0.3, "generated": -0.8, "size": 0.3, "depth": -0.2,
}


def load(path):
    return [json.loads(line) for line in open(path)]


def fit(rows, l2, steps=300, rate=0.1):
    prior = np.array(list(PRIOR.values()))
    rows = [r for r in rows if any(f[0] in r["gold"] for f in r["files"])]
    most = max(len(r["files"]) for r in rows)
    x = np.zeros((len(rows), most, len(prior)))
    gold = np.zeros((len(rows), most))
    absent = np.full((len(rows), most), -1e9)
    for i, r in enumerate(rows):
        x[i, : len(r["files"])] = [f[1:] for f in r["files"]]
        gold[i, : len(r["files"])] = [f[0] in r["gold"] for f in r["files"]]
        absent[i, : len(r["files"])] = 0
    w, mean, square = prior.copy(), np.zeros(len(prior)), np.zeros(len(prior))
    for step in range(1, steps + 1):
        scores = x @ w + absent
        p = np.exp(scores - scores.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        q = p * gold
        q /= q.sum(1, keepdims=True)
        gradient = np.einsum("nmk,nm->k", x, q - p) / len(rows) - l2 * (w - prior)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        adam = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        w = w + rate * adam * (1 if step < steps * 0.6 else 0.2)
    return w


def report(rows, w, label):
    for name in sorted({r["set"] for r in rows}):
        worst = []
        for r in (r for r in rows if r["set"] == name):
            order = [f[0] for f in sorted(r["files"], key=lambda f: (-float(np.dot(w, f[1:])), f[0]))]
            worst.append(max(order.index(g) if g in order else 999 for g in r["gold"]))
        acc = "  ".join(f"Acc@{k} {100 * np.mean([at < k for at in worst]):.1f}" for k in (1, 3, 5, 10))
        print(f"// {label:<8} {name:<9} n={len(worst):<4} {acc}")


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("commits")
    ap.add_argument("--issues")
    ap.add_argument("--l2", type=float, default=0.003)
    a = ap.parse_args()
    commits = load(a.commits)
    w = fit(commits, a.l2).round(2)
    for label, weights in (("prior", np.array(list(PRIOR.values()))), ("learned", w)):
        report(commits, weights, label)
        if a.issues:
            report(load(a.issues), weights, label)
    for name, weight in zip(PRIOR, w):
        print(f"  {name}: {weight:g},")


if __name__ == "__main__":
    main()
