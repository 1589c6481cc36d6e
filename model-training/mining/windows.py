"""Windows of files, as an indexer cuts them, with queries about the file: words of its path, its header comment."""
import re

from .blocks import words_of
from .code import pairs_of as code_pairs_of

_GENERIC = set(
    "index main utils util mod lib init common types helpers misc test tests core base src constants config setup spec impl "
    "internal default api app".split()
)
TEST_PATH = re.compile(r"(^|/)(tests?|spec|__tests__|examples?|benches)(/|$)|[._-](test|spec)\.")
LINES = 45


def pairs_of(text, path, language, random):
    """(document, [[kind, question], …])."""
    lines = text.split("\n")
    if len(text) / len(lines) > 140 or len(lines) < 25:
        return
    about_path, header = _path_question(path, random), _header(lines, language, random)
    for start in _starts(len(lines), random):
        window = "\n".join(lines[start : start + LINES])[:2000]
        questions = [["path", about_path]] if len(about_path.split()) >= 2 else []
        if start > 0 and header:
            questions.append(["top", header])
        if questions and len(window) >= 300:
            yield window, questions


def _path_question(path, random):
    parts = path.rsplit(".", 1)[0].split("/")
    stem = [word for word in words_of(parts[-1]).split() if word not in _GENERIC]
    parent = words_of(parts[-2]).split() if len(parts) > 1 else []
    shown = [word for word in parent if word not in _GENERIC] if random.random() < 0.6 or len(stem) < 2 else []
    return " ".join(shown + stem)


def _header(lines, language, random):
    for _, questions in code_pairs_of("\n".join(lines[:60]), language, random):
        for kind, question in questions:
            if kind == "doc":
                return question
    return None


def _starts(count, random):
    starts = [0]
    if count > 60:
        starts.append(random.randrange(20, count - 30))
    if count > 250:
        starts.append(random.randrange(60, count - 30))
    return starts
