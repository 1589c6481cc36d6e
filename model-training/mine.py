"""Mines pairs of words and code from a git snapshot: `python3 mine.py GIT_DIR OUT.jsonl.gz [FILES] [COMMITS]`.

One line a document: {"d": text, "p": path, "l": language, "q": [[kind, question], …]}. Kinds: doc, cmt (inline comment),
name, commit, md (Markdown → code), mdt (heading → section), test, path and top (header comment → window).
Benchmark repositories, their forks and look-alikes must not be given to it; pack_pairs.py checks again by content.
"""
import gzip
import hashlib
import json
import random
import re
import sys

from mining import code, commits, markdown, repository, windows
from mining.languages import is_generated

SEED = 7


class Pairs:
    """Writes each document once, ignoring differences in white space."""

    def __init__(self, file):
        self.out, self.seen, self.counts = gzip.open(file, "wt", compresslevel=4), set(), {}

    def add(self, document, path, language, questions):
        key = hashlib.md5(re.sub(r"\s+", "", document).encode("utf8", "replace")).digest()[:8]
        if len(document) < 40 or key in self.seen:
            return
        self.seen.add(key)
        for kind, _ in questions:
            self.counts[kind] = self.counts.get(kind, 0) + 1
        self.out.write(json.dumps({"d": document, "p": path, "l": language, "q": questions}) + "\n")


def main(git_dir, out, most_files="2500", most_commits="450", most_windowed="1500"):
    chance, pairs = random.Random(SEED), Pairs(out)
    for path, language, text in _texts(git_dir, chance, int(most_files), smallest=200, largest=300_000):
        if language == "md":
            found = markdown.pairs_of(text, chance)
        else:
            found = () if language == "rst" or is_generated(text) else code.pairs_of(text, language, chance)
        for document, questions in found:
            pairs.add(document, path, language, questions)
    for document, path, language, questions in commits.pairs_of(git_dir, int(most_commits), chance):
        pairs.add(document, path, language, questions)
    for path, language, text in _texts(git_dir, chance, int(most_windowed), smallest=900, largest=200_000):
        is_test = windows.TEST_PATH.search(path) and chance.random() < 0.75
        if language in ("md", "rst") or is_test or is_generated(text):
            continue
        for document, questions in windows.pairs_of(text, path, language, chance):
            pairs.add(document, path, language, questions)
    pairs.out.close()
    print(json.dumps({"repository": git_dir, "documents": len(pairs.seen), "pairs": pairs.counts}))


def _texts(git_dir, chance, most, smallest, largest):
    files = list(repository.files_of(git_dir, smallest, largest))
    chance.shuffle(files)
    return repository.texts_of(git_dir, files[:most])


if __name__ == "__main__":
    main(*sys.argv[1:])
