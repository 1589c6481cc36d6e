"""Finds definitions and statements by indentation, and the name that a line defines."""
import re

_DEFINITION = re.compile(
    r"\b(?:function\*?|def|defp|defmacro|defmodule|fn|func|fun|class|struct|interface|trait|enum|module|object|protocol|"
    r"extension|namespace|record|impl)\s+(?:\([^)]*\)\s*)?(?:self\.)?([A-Za-z_$][\w$.:?!]*)"
)
_ASSIGNMENT = re.compile(
    r"^\s*(?:export\s+)?(?:pub(?:\([^)]*\))?\s+)?(?:public\s+|private\s+|static\s+)*"
    r"(?:const|let|var|val|type|data|newtype|local\s+function|local|static)\s+([A-Za-z_$][\w$]*)"
)
_CALL = re.compile(r"([A-Za-z_~][\w:~]*)\s*(?:<[^<>()]*>)?\s*\(")
_KEYWORDS = set(
    "if for while switch return catch else do try with match case throw sizeof new await yield assert print printf in not "
    "and or super this self elif unless until foreach using lock typeof when guard defer expect".split()
)
_HEADED_BY_CALL = ("c", "cpp", "java", "csharp", "typescript", "javascript", "bash", "kotlin", "php")
_CLOSING = ("}", ")", "]", "end")
_CONTINUING = ("where", "->", "=>", "=", "|", ":")


def indent(line):
    width = 0
    for character in line:
        if character == " ":
            width += 1
        elif character == "\t":
            width += 4
        else:
            return width
    return 1000


def block(lines, start, most_lines=70, most_characters=2800):
    """The definition that begins at a line, and the line after it."""
    base, out, size, at = indent(lines[start]), [lines[start]], len(lines[start]), start + 1
    while at < len(lines) and len(out) < most_lines and size < most_characters:
        line, code = lines[at], lines[at].strip()
        if not code:
            if _ends_at_gap(lines, at, base):
                break
        elif indent(line) <= base:
            if not (code[0] in "})]{" or code.startswith(("end", *_CONTINUING))):
                break
            out.append(line)
            if not _goes_on(code):
                at += 1
                break
            at, size = at + 1, size + len(line)
            continue
        out.append(line)
        at, size = at + 1, size + len(line)
    return out, at


def _ends_at_gap(lines, at, base):
    after = at + 1
    while after < len(lines) and not lines[after].strip():
        after += 1
    return after >= len(lines) or (indent(lines[after]) <= base and not lines[after].lstrip().startswith(_CLOSING))


def _goes_on(code):
    """A line at the definition's own depth that opens a body, or closes a long head."""
    if code[0] == "{":
        return True
    if code[0] in ")]" and code.endswith(("{", ":", "=>", "=", "->", "do")):
        return True
    return code[0] != "}" and not code.startswith("end")


def statements(lines, start, most_lines=14):
    base, out = indent(lines[start]), []
    for line in lines[start : start + most_lines]:
        if not line.strip() or indent(line) < base:
            break
        out.append(line)
    return out


def defined_name(line, language):
    found = _DEFINITION.search(line)
    if found and found.group(1) not in _KEYWORDS:
        return found.group(1)
    found = _ASSIGNMENT.match(line)
    if found:
        return found.group(1)
    if language in _HEADED_BY_CALL:
        found = _CALL.search(line)
        if found and _is_head(line, found):
            return found.group(1)
    if language == "haskell":
        found = re.match(r"([a-z_][\w']*)\s*::", line)
        if found:
            return found.group(1)
    return None


def _is_head(line, call):
    before = line[: call.start()]
    opens = line.rstrip().endswith(("{", ",", "(", ")")) or "{" in line
    return call.group(1).split("::")[-1] not in _KEYWORDS and opens and "=" not in before and "." not in before


def defines(line):
    return _DEFINITION.search(line) is not None


def words_of(name):
    """`parseHTTPHeader` → `parse http header`."""
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name)
    return " ".join(word for word in re.split(r"[^A-Za-z0-9]+", name) if word).lower()
