"""Pairs from source files: doc comment → definition, comment → statements, name → definition, test title → test."""
import re

from .blocks import block, defined_name, defines, indent, statements, words_of
from .comments import question_from
from .languages import line_comment_of, uses_hash

_ATTRIBUTE = re.compile(
    r"^\s*(@\w|#\[|#!\[|\[[A-Za-z]|export\s+default\s*$|template\s*<|@spec|@impl|@doc false|#\s*@)"
)
_TEST_TITLE = re.compile(
    r"""^\s*(?:it|test|describe|context|scenario|specify|should|feature)\s*\(?\s*(["'`])(.{12,160}?)\1"""
)
_TEST_NAME = re.compile(r"\b(?:def|fn|func|fun|void)\s+(test_?\w{8,}|should\w{8,})", re.I)
_TITLED = ("javascript", "typescript", "ruby", "elixir", "kotlin", "scala")
_NOT_DESCRIBED = ("/*", "*", "}", "import ", "package ", "#include", "#if", "#define", "use ", "using ", '"""')
_IMPORTS = ("import", "using", "use ", "from", "require", "*", "//", "#")


def pairs_of(text, language, random):
    """(document, [[kind, question], …])."""
    lines = text.split("\n")
    if len(lines) > 12000 or len(text) / len(lines) > 160:
        return
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        comment, after = _comment(lines, at, language)
        if comment is not None:
            at = after
            question = question_from(comment, random)
            pair = question and _described(lines, after, language, question)
        elif _test(lines, at, language) is not None:
            pair, at = _test(lines, at, language)[0], at + 1
        else:
            pair, at = _definition(lines, at, language, random)
        if pair:
            yield pair


def _comment(lines, at, language):
    """(text, line after it) of a comment that begins here; (None, at) otherwise."""
    code, mark = lines[at].strip(), line_comment_of(language)
    if code.startswith("/*") and (mark == "//" or language == "php"):
        return _delimited(lines, at, "*/", 200, lambda line: re.sub(r"^\s*(/\*+!?|\*)? ?", "", line), keep_last=True)
    if language == "haskell" and code.startswith("{-"):
        return _delimited(lines, at, "-}", 200, lambda line: line.strip().lstrip("{-| "))
    if language == "elixir" and re.match(r'@(module|type)?doc\s+(~S)?"""', code):
        text, after = _delimited(lines, at + 1, '"""', 300, str.strip)
        return text, after
    if code.startswith(mark) and not code.startswith("#!") and not (uses_hash(language) and code.startswith("#[")):
        return _line_comments(lines, at, language, mark)
    return None, at


def _delimited(lines, at, end, most, clean, keep_last=False):
    last, held = at, []
    while last < len(lines) and end not in lines[last] and last - at < most:
        held.append(lines[last])
        last += 1
    if keep_last and last < len(lines):
        held.append(lines[last][: lines[last].find(end)])
    return "\n".join(clean(line) for line in held), last + 1


def _line_comments(lines, at, language, mark):
    depth, last, held = indent(lines[at]), at, []
    while last < len(lines) and last - at < 120:
        if not lines[last].strip().startswith(mark) or indent(lines[last]) != depth:
            break
        held.append(lines[last].strip())
        last += 1
    pattern = r"^-+ ?[|^]? ?" if language == "haskell" else r"^(///?/?!?|#+!?|---?-?) ?"
    return "\n".join(re.sub(pattern, "", line) for line in held), last


def _described(lines, at, language, question):
    """What a comment describes: a definition, otherwise the statements that follow."""
    blank = 0
    while at < len(lines) and ((not lines[at].strip() and blank < 1) or _ATTRIBUTE.match(lines[at])):
        blank += not lines[at].strip()
        at += 1
    if at >= len(lines) or not lines[at].strip():
        return None
    code = lines[at].strip()
    if code.startswith((line_comment_of(language), *_NOT_DESCRIBED)):
        return None
    name, (body, _) = defined_name(lines[at], language), block(lines, at)
    if len(body) >= 2 or name:
        if len(body) < 2 and len(code) < 25:
            return None
        named = words_of(name) if name and len(name) > 5 else ""
        questions = [["doc", question]] + ([["name", named]] if len(named.split()) >= 2 else [])
        return "\n".join(body), questions
    body = statements(lines, at)
    return ("\n".join(body), [["cmt", question]]) if len(body) >= 2 else None


def _test(lines, at, language):
    """(pair or None,) if the line begins a test."""
    titled = _TEST_TITLE.match(lines[at]) if language in _TITLED else None
    named = _TEST_NAME.search(lines[at]) if titled is None else None
    if titled is None and named is None:
        return None
    body, _ = block(lines, at, 40, 1800)
    title = titled.group(2) if titled else re.sub(r"^(tests?|should) ", "", words_of(named.group(1)))
    if len(body) < 3 or (named and len(title.split()) < 3):
        return (None,)
    return (("\n".join(body[1:]), [["test", title]]),)


def _definition(lines, at, language, random):
    """A definition without a comment above it; Python's docstring is inside."""
    line, name = lines[at], None
    if language == "python" and re.match(r"\s*(async\s+)?(def|class)\s", line):
        name = defined_name(line, language)
        found = _docstring(lines, at, name, random)
        if found is not None:
            return found
    elif defines(line) and not line.strip().startswith(_IMPORTS):
        name = defined_name(line, language)
    if name and len(name) > 6 and len(words_of(name).split()) >= 2:
        body, _ = block(lines, at)
        if len(body) >= 5:
            return ("\n".join(body), [["name", words_of(name)]]), at + 1
    return None, at + 1


def _docstring(lines, at, name, random):
    """(pair or None, line after the docstring); None if there is no docstring."""
    head = at
    while head < len(lines) and head - at < 15 and not lines[head].rstrip().endswith(":"):
        head += 1
    opened = re.match(r"\s*[rRuU]?(\"\"\"|''')(.*)", lines[head + 1]) if head + 1 < len(lines) else None
    if opened is None:
        return None
    quotes, end, held = opened.group(1), head + 1, [opened.group(2)]
    if quotes in opened.group(2):
        held = [opened.group(2).split(quotes)[0]]
    else:
        end += 1
        while end < len(lines) and quotes not in lines[end] and end - head - 1 < 200:
            held.append(lines[end].strip())
            end += 1
        if end < len(lines):
            held.append(lines[end].split(quotes)[0].strip())
    question = question_from("\n".join(held), random)
    body, _ = block(lines, at, 160, 8000)
    body = (lines[at : head + 1] + body[end + 1 - at :])[:70]
    if not question or len(body) < 3:
        return None, end + 1
    named = words_of(name) if name else ""
    questions = [["doc", question]] + ([["name", named]] if len(named.split()) >= 2 else [])
    return ("\n".join(body)[:2800], questions), end + 1
