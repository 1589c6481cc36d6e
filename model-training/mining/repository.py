"""Files of a bare git snapshot, read without a checkout."""
import os
import subprocess
import threading

from .languages import language_of

ENVIRONMENT = dict(os.environ, GIT_OPTIONAL_LOCKS="0", GIT_NO_LAZY_FETCH="1")


def files_of(git_dir, smallest, largest):
    """(blob, path, language) of the files to mine, in tree order."""
    listing = subprocess.run(
        ["git", f"--git-dir={git_dir}", "ls-tree", "-r", "-l", "-z", "HEAD"], capture_output=True, env=ENVIRONMENT
    ).stdout.decode("utf8", "replace")
    for entry in filter(None, listing.split("\0")):
        meta, path = entry.split("\t", 1)
        _, kind, blob, size = meta.split()
        language = language_of(path)
        if kind == "blob" and language and size.isdigit() and smallest <= int(size) <= largest:
            yield blob, path, language


def texts_of(git_dir, files):
    """(path, language, text) of the UTF-8 files, through one git process."""
    git = subprocess.Popen(
        ["git", f"--git-dir={git_dir}", "cat-file", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
    )

    def ask():
        for blob, _, _ in files:
            git.stdin.write(blob.encode() + b"\n")
        git.stdin.close()

    threading.Thread(target=ask, daemon=True).start()
    for _, path, language in files:
        header = git.stdout.readline().split()
        if len(header) < 3:
            continue
        content = git.stdout.read(int(header[2]) + 1)[:-1]
        try:
            yield path, language, content.decode("utf8").replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue
