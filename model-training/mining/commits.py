"""Pairs from history: a commit's subject → the new side of its hunks."""
import re
import subprocess

from .languages import LANGUAGE_OF, language_of
from .repository import ENVIRONMENT

_CHORES = re.compile(
    r"\b(bump|release|version|changelog|merge|revert|typo|lint|format(ting)?|dependenc|deps|upgrade|copyright|readme|ci\b|"
    r"translat|update .* to v?\d)",
    re.I,
)
_PREFIX = re.compile(r"^(\w+(\([^)]*\))?!?:|\[[^\]]*\]|[\w/.-]+:)\s*")
MOST_BYTES = 400_000_000
_LOG = ("--no-merges", "-p", "-U4", "--no-color", "--no-renames", "--no-ext-diff", "--no-textconv", "--diff-filter=AM")


def pairs_of(git_dir, most_commits, random):
    """(document, path, language, questions)."""
    git = subprocess.Popen(
        ["git", f"--git-dir={git_dir}", "-c", "core.quotepath=off", "log", *_LOG]
        + ["-n", str(most_commits), "--format=%x01%s", "HEAD"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
    )
    subject, hunks, path, hunk, seen = None, [], None, None, 0
    for raw in git.stdout:
        seen += len(raw)
        if seen > MOST_BYTES:
            break
        line = raw.decode("utf8", "replace").rstrip("\n")
        if line.startswith("\x01"):
            yield from _commit_pairs(subject, hunks, random)
            subject, hunks, path, hunk = line[1:], [], None, None
        elif line.startswith("+++ "):
            path, hunk = _mined_path(line), None
        elif line.startswith(("--- ", "diff ", "index ")):
            hunk = None
        elif line.startswith("@@"):
            hunk = None
            if path and len(hunks) < 15:
                context = line.split("@@")[-1].strip()
                hunk = (path, [context] if context else [])
                hunks.append(hunk)
        elif hunk is not None and line[:1] in "+ " and len(hunk[1]) < 60:
            hunk[1].append(line[1:])
    git.kill()
    yield from _commit_pairs(subject, hunks, random)


def _mined_path(line):
    path = line[6:] if line.startswith("+++ b/") else None
    return path if path and language_of(path) not in (None, "md", "rst") else None


def _commit_pairs(subject, hunks, random):
    if not subject:
        return
    question = re.sub(r"\s*\(?#\d+\)?", "", _PREFIX.sub("", subject)).strip()
    if not 4 <= len(question.split()) <= 25 or _CHORES.search(question):
        return
    if len({path for path, _ in hunks}) > 6 or len(hunks) > 14:
        return
    long_enough = [hunk for hunk in hunks if len(hunk[1]) >= 3]
    random.shuffle(long_enough)
    for path, lines in long_enough[:3]:
        language = LANGUAGE_OF.get(path.rsplit(".", 1)[-1].lower(), "")
        yield "\n".join(lines)[:2200], path, language, [["commit", question]]
