"""Builds the vocabulary: `python3 vocabulary.py WORDS PIECES OUT.json MINED.jsonl.gz …` (28,000 and 5,000 were used).

Whole words by damped count (the square root of a repository's count, so that no project owns the vocabulary), then
word pieces for the rest. Needs the package `tokenizers`.
"""
import collections
import gzip
import json
import math
import random
import string
import sys

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tok import split_words

SAMPLE, MOST_ROWS = 0.25, 3000
PROSE = {"doc", "commit", "md", "mdt", "cmt", "test"}


def counts_of(files):
    chance, total = random.Random(3), collections.Counter()
    for file in files:
        own, rows = collections.Counter(), 0
        for line in gzip.open(file, "rt"):
            if chance.random() > SAMPLE or rows > MOST_ROWS:
                continue
            row, rows = json.loads(line), rows + 1
            own.update(set(split_words(row["d"])))
            own.update(word for kind, text in row["q"] if kind in PROSE for word in split_words(text))
        total.update({word: math.sqrt(count) for word, count in own.items()})
    return total


def pieces_for(rest, count):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.WordPieceTrainer(vocab_size=count, special_tokens=["[UNK]"], show_progress=False)
    tokenizer.train_from_iterator((" ".join([word] * min(times, 20)) for word, times in rest.items()), trainer=trainer)
    letters = string.ascii_lowercase + string.digits
    return (set(tokenizer.get_vocab()) - {"[UNK]"}) | set(letters) | {f"##{letter}" for letter in letters}


def main(words, pieces, out, *files):
    counts = counts_of(files)
    usable = [
        (word, count)
        for word, count in counts.most_common()
        if word.isascii() and len(word) <= 24 and not (word.isdigit() and len(word) > 4)
    ]
    whole = [word for word, _ in usable[: int(words)]]
    rest = {word: max(1, int(count)) for word, count in usable[int(words) :] if word.isalpha()}
    json.dump(whole + sorted(pieces_for(rest, int(pieces)) - set(whole)), open(out, "w"))


if __name__ == "__main__":
    main(*sys.argv[1:])
