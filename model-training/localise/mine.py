#!/usr/bin/env python3
"""Pairs of a commit message and the files it changed, from bare clones outside every benchmark.

    mine.py --mirrors DIR --repos owner/name,... [--back 1200] [--most 300] --out commits.jsonl

All pairs of a repository share one base commit, `--back` commits (first parents) before its head, so that it is indexed once.
A pair is kept if the commit changed one to four source files that exist at the base, and if its message, without
trailers and references, has at least 40 characters. Written in the form of the issues that dump.ts reads.
"""
import argparse, json, re, subprocess

SOURCE = re.compile(r"\.(py|go|rs|rb|php|java|kt|js|ts|c|h|cc|cpp|cs|ex|scala|swift)$")
ASIDE = re.compile(r"(^|/)(tests?|specs?|docs?|examples?|vendor|third_party|fixtures?|features|demos|integration)/|_test\.|\.test\.|test_|(^|/)tests\.rs$")
TRAILER = re.compile(r"^(signed-off-by|co-authored-by|reviewed-by|change-id|cc|closes|fixes|refs?|see|merge)\b.*$", re.I | re.M)


def git(clone, *args):
    return subprocess.run(["git", "-C", clone, *args], capture_output=True, text=True, errors="replace", check=True).stdout


def pairs(clone, repo, back, most):
    base = git(clone, "rev-list", "--first-parent", f"--skip={back}", "-n1", "HEAD").strip()
    files = set(git(clone, "ls-tree", "-r", "--name-only", base).split("\n"))
    log = git(clone, "log", "--no-merges", "--reverse", "--name-status", "-M", "--format=%x01%H%x02%B%x03", f"{base}..HEAD")
    found = []
    for entry in log.split("\x01")[1:]:
        commit, rest = entry.split("\x02", 1)
        message, status = rest.split("\x03", 1)
        changed = [line.split("\t") for line in status.strip().split("\n") if line]
        source = [row[-1] for row in changed if SOURCE.search(row[-1]) and not ASIDE.search(row[-1])]
        kept = all(row[0] == "M" for row in changed if row[-1] in source) and all(path in files for path in source)
        text = re.sub(r"\(?#\d+\)?|\b[0-9a-f]{7,40}\b|https?://\S+", "", TRAILER.sub("", message)).strip()
        if not kept or not 1 <= len(source) <= 4 or len(changed) > 12 or len(text) < 40:
            continue
        gold = [{"path": path, "lines": []} for path in source]
        found.append({"set": "commits", "id": commit, "repo": repo, "base_commit": base, "text": text, "gold": gold})
        if len(found) == most:
            break
    return found


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--mirrors", required=True)
    ap.add_argument("--repos", required=True)
    ap.add_argument("--back", type=int, default=1200)
    ap.add_argument("--most", type=int, default=300)
    ap.add_argument("--out", default="commits.jsonl")
    a = ap.parse_args()
    with open(a.out, "w") as out:
        for repo in a.repos.split(","):
            rows = pairs(f"{a.mirrors}/{repo.replace('/', '+')}/repo", repo, a.back, a.most)
            print(repo, len(rows), rows[0]["base_commit"] if rows else "")
            for row in rows:
                out.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
