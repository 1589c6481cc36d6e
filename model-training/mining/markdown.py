"""Pairs from Markdown: the text above a code block → the block, a heading → its section."""
import re

_MARKUP = re.compile(r"[`*_]|\{#.*?\}|<[^>]+>")
_NOT_PROSE = ("|", "<", "![", "[!", "---", ":::", "import ")


def pairs_of(text, random):
    heading, section, paragraph, fence, code = None, [], [], None, []
    for line in text.split("\n"):
        stripped = line.strip()
        if fence:
            if not stripped.startswith(fence):
                code.append(line)
                continue
            pair = _block_pair("\n".join(code), heading, paragraph, random)
            fence, paragraph = None, []
            if pair:
                yield pair
            continue
        if stripped.startswith(("```", "~~~")):
            fence, code = stripped[:3], []
            continue
        found = re.match(r"#{1,5}\s+(.*)", line)
        if found:
            yield from _section_pair(heading, section)
            heading, section, paragraph = _MARKUP.sub("", found.group(1)).strip(), [], []
        elif not stripped:
            section.extend(paragraph)
            paragraph = [] if len(paragraph) > 6 else paragraph[-4:]
        elif not stripped.startswith(_NOT_PROSE):
            paragraph.append(stripped)
    yield from _section_pair(heading, section)


def _block_pair(code, heading, paragraph, random):
    lead = re.sub(r"\s+", " ", " ".join(paragraph)).strip()
    lead = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", lead)
    last = re.split(r"(?<=[.!?:])\s+", lead)[-1]
    named = f"{heading}. " if heading and random.random() < 0.7 else ""
    question = named + (last if len(last) > 15 else lead)
    if len(code) > 60 and len(question.split()) >= 4 and len(question) < 400:
        return code[:2500], [["md", question]]
    return None


def _section_pair(heading, section):
    body = re.sub(r"\s+", " ", " ".join(section)).strip()
    if heading and len(body) > 120 and 2 <= len(heading.split()) <= 14:
        yield body[:1500], [["mdt", heading]]
