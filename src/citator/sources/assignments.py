"""Values that are secret because of the name beside them: ``password: …``, ``api_key = "…"``.

- A name of the closed list, ``:``, ``=``, ``:=`` or ``=>``, and a value that is plausible: not a
  placeholder, not a variable, not a call, not a type, not a path, not an ordinary word in prose.
- A password may be a bare word where its line says nothing else; other names need a value with a
  digit in it.
- Passwords in addresses (``scheme://user:password@host``), after ``--password`` and in
  authorization headers follow the same idea with their own shapes.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# The lower-case words with which a name of the list can begin.
_PLAIN_NAMES = ("passw", "passphrase", "pwd", "secret", "token", "credential")
_KEY_NAMES = re.compile(
    "(?:api|access|auth|private|secret|encryption|signing|master)[ _-]?key", re.IGNORECASE
)
_NAME = (
    r"(?i:(?P<pw>passw(?:or)?d|passphrase|pwd)|"
    r"(?P<key>secret|token|credentials?|(?:api|access|auth|private|secret|encryption|signing|"
    r"master)[ _-]?key)(?:[_-]?(?:base|confirmation|key|value|text|string|[0-9]))?)"
)
_VALUE = (
    r"(?:(?P<q>[\"'`])(?P<qv>[^\n\"'`]{4,256}+)(?P=q)|"
    r"(?P<v>[^\s\"'`,;<>(){}\[\]]{4,256}+)(?![(\[{<]))"
)
_ASSIGNMENT = (
    rf"{_NAME}(?:[\"'`\]]{{0,2}}[ \t]{{0,8}}(?::=|=>|=(?![=~>])|:(?!:))[ \t]{{0,8}}|"
    rf"(?P<option>[ ]{{1,2}})){_VALUE}"
)
_OPTION = re.compile(r"(?:^|[\s\"'`(])--(?:[a-z]{1,20}-){0,3}$")
_NETRC = (
    r"\bmachine\s{1,4}\S{1,128}\s{1,4}login\s{1,4}\S{1,64}\s{1,4}password[ \t]{1,4}"
    r"(?P<v>\S{4,128}+)"
)
_URL = r"://[^\s/?#:@\"'<>\[\]]{0,128}+:(?P<v>[^\s/@\"'<>\[\]]{1,256}+)@(?=[\w\[{$%<*-])"
_HEADER = (
    r"(?i:authorization[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?(?:bearer|basic|token|apikey)|\bbearer)"
    r"[ \t]{1,3}(?P<v>[A-Za-z0-9+/=_.~-]{8,2048}+)"
)
_DOCKER = r"\"auth\"[ \t]{0,3}:[ \t]{0,3}\"(?P<v>[A-Za-z0-9+/]{16,1024}+={0,2})\""
_CURL = r"\bcurl\b[^\n]{0,200}?[ ](?:-u|--user)[ ]?[\"']?[^\s:\"']{1,64}:(?P<v>[^\s\"']{4,128}+)"

_WORDS_TEXT = """
abc abcd abcdef absent admin admin123 any anything array auto base64 bearer blank bool boolean bytes
callable changed changeme char confirmed correct default deprecated digest disabled dummy empty
enabled encrypted env error example expired expires false fixed foo foobar generated hash hashed hex
hidden identifier ignored incorrect input int integer invalid key list literal localhost lorem
masked mismatch missing mixed must name needed never new nil none null number object old omitted
optional other passwd password path placeholder plain pwd random redacted removed replaced required
reset role root salt same sample sanitized secret sha1 sha256 some something stored str string
symbol test testing text the this token true type undefined unknown unset updated user username uuid
valid value varchar void warning when with wrong
"""
_WORDS = frozenset(_WORDS_TEXT.split())
_PLACEHOLDER = re.compile(
    r"(?i)[x*.\-_#?]{3,}|(?:test|foo|bar|baz|mock|todo|tbd|insert|enter|replace)[0-9]{0,4}"
    r"(?:[ _.-].*)?|(?:my|the|some|an?)[ _-][a-z _-]+|"
    r"(?:your|example|sample|dummy|fake|placeholder|change[_-]?me|redacted).*|"
    r".*(?:[_-]here|example)|\[redacted:.*"
)
_TEMPLATE = re.compile(
    r"[$%#]?[{(<].*|\$[A-Za-z_]\w*[\"']?|%[A-Za-z_]\w*%|%[sdrv]|%\(.*|<.*|\[redacted:.*|[x*.]{3,}"
    r"|[A-Za-z]*\$\{.*|![A-Za-z]+"
)
_CODE = re.compile(
    r"(?:[@:&!$]*[A-Za-z_]\w*(?:\.|::|->))+[A-Za-z_]\w*[?!]?|[@:&$]+[A-Za-z_]\w*[?!]?|[A-Z]\w*\.new"
)
_PATH = re.compile(r"(?:~|\.{1,2})?/.*|[A-Za-z]:\\.*|[a-z][a-z0-9+.-]{1,12}://.*")
_SNAKE = re.compile(r"[A-Za-z]+(?:[_-][A-Za-z]+)+")
_OWN_LINE = re.compile(
    r"[ \t>*+|-]*(?:(?:export|set|const|let|var|val|final|static|private|public|String)[ \t]+){0,3}"
    r"[\"'`:\[$]{0,3}[\w.-]*"
)
_AFTER = re.compile(r"[\"'`,;.)\]}]*[ \t]*(?:(?:#|//|--).*)?$")


Found = tuple[int, int, str]


def has_names(lowered: str) -> bool:
    """Whether a lower-cased text can hold an assignment at all."""
    return (
        "passw" in lowered
        or "secret" in lowered
        or "token" in lowered
        or "pwd" in lowered
        or "passphrase" in lowered
        or "credential" in lowered
        or ("key" in lowered and _KEY_NAMES.search(lowered) is not None)
    )


def assigned(text: str, lowered: str, pattern: Callable[[str], re.Pattern[str]]) -> list[Found]:
    """(start, end, kind) of each secret that a name is given, in order.

    ``pattern`` compiles an expression (and may remember it).
    """
    expression = pattern(_ASSIGNMENT)
    found: list[Found] = []
    end = 0
    for start in _name_starts(text, lowered):
        match = expression.match(text, start) if start >= end else None
        where = _assigned_value(match) if match is not None else None
        if match is not None and where is not None and where[0] >= end:
            found.append((*where, _kind(match)))
            end = where[1]
    return found


def _name_starts(text: str, lowered: str) -> list[int]:
    """Where a name may begin. Lower-casing can change the length of text that is not ASCII."""
    if len(lowered) != len(text):
        starts = re.finditer("|".join(_PLAIN_NAMES), text, re.IGNORECASE)
        return sorted({match.start() for match in (*starts, *_KEY_NAMES.finditer(text))})
    found: set[int] = set()
    for name in _PLAIN_NAMES:
        at = lowered.find(name)
        while at >= 0:
            found.add(at)
            at = lowered.find(name, at + 1)
    if "key" in lowered:
        found.update(match.start() for match in _KEY_NAMES.finditer(lowered))
    return sorted(found)


def _kind(match: re.Match[str]) -> str:
    if match["pw"]:
        return "password"
    name = match["key"].lower()
    if name in ("secret", "token"):
        return name
    return "credential" if name[0] == "c" else "api_key" if name.startswith("api") else "secret_key"


def _assigned_value(match: re.Match[str]) -> tuple[int, int] | None:
    """Where the secret of an assignment stands in the text; None where it is none."""
    if match["option"] and not _OPTION.search(
        match.string[max(0, match.start() - 70) : match.start()]
    ):
        return None
    quoted = match["qv"] is not None
    value = match["qv"] if quoted else _bare_value(match, match["v"])
    start = match.start("qv" if quoted else "v")
    secret = _password(match, value, quoted) if match["pw"] else _other(value, quoted)
    if not secret or _is_innocent(value) or value.lower() == (match["pw"] or match["key"]).lower():
        return None
    return start, start + len(value)


def _url_password(match: re.Match[str]) -> bool:
    return _TEMPLATE.fullmatch(match["v"]) is None


def _header_value(match: re.Match[str]) -> bool:
    value = match["v"]
    named = match[0][0] in "aA"
    return (named or len(value) >= 20 or any(map(str.isdigit, value))) and not _is_innocent(value)


def _plain_value(match: re.Match[str]) -> bool:
    return not _is_innocent(match["v"])


Shape = tuple[str, str, Callable[[re.Match[str]], bool]]


def shapes(lowered: str) -> list[Shape]:
    """(kind, expression with a group ``v``, whether the value counts) for a lower-cased text."""
    found: list[Shape] = []
    if "@" in lowered and "://" in lowered:
        found.append(("url_password", _URL, _url_password))
    if "bearer " in lowered or "authorization" in lowered:
        found.append(("authorization", _HEADER, _header_value))
    if "machine" in lowered and "password" in lowered:
        found.append(("password", _NETRC, _plain_value))
    if '"auth"' in lowered:
        found.append(("docker_auth", _DOCKER, _plain_value))
    if "curl " in lowered and "-u" in lowered:
        found.append(("password", _CURL, _plain_value))
    return found


def _bare_value(match: re.Match[str], value: str) -> str:
    """An unquoted value without the punctuation of the sentence or query it stands in."""
    before = match.string[max(0, match.start() - 64) : match.start()]
    if re.search(r"[?&][\w.-]*$", before):
        value = value.split("&", 1)[0]
    return value.rstrip(".,;:!?*_|\\")


def _is_innocent(value: str) -> bool:
    lowered = value.lower()
    return (
        lowered in _WORDS
        or _PLACEHOLDER.fullmatch(value) is not None
        or _TEMPLATE.fullmatch(value) is not None
        or _CODE.fullmatch(value) is not None
        or _PATH.fullmatch(value) is not None
        or not any(map(str.isalnum, value))
    )


def _password(match: re.Match[str], value: str, quoted: bool) -> bool:
    if " " in value and not match["pw"].lower().startswith("passphrase"):
        return False
    if quoted:
        return len(value) >= 4
    if len(value) < 6:
        return False
    if value.isdigit() or (not value.isalpha() and not _SNAKE.fullmatch(value)):
        return True
    return _stands_alone(match) and value.isascii() and value.isalpha()


def _other(value: str, quoted: bool) -> bool:
    if len(value) < 8 or " " in value or not value.isascii():
        return False
    # Unquoted, words between colons and equal signs are names: ``builtin:0:0``, ``a=b``.
    if not quoted and (":" in value or "=" in value.rstrip("=")):
        return False
    digits = sum(map(str.isdigit, value))
    if not any(map(str.isalpha, value)):
        return False
    if quoted:
        return digits >= 1
    random = digits >= 2 and digits * 20 >= len(value)
    return random or (len(value) >= 20 and _is_mixed(value))


def _is_mixed(value: str) -> bool:
    """Whether cases alternate as in a random string, not as in a name."""
    upper = sum(map(str.isupper, value))
    return 0.3 <= upper / len(value) <= 0.7 and not _SNAKE.fullmatch(value)


def _stands_alone(match: re.Match[str]) -> bool:
    """Whether the line holds the assignment and nothing else."""
    text = match.string
    line_start = text.rfind("\n", 0, match.start()) + 1
    line_end = text.find("\n", match.end())
    before = text[line_start : match.start()]
    after = text[match.end() : line_end if line_end >= 0 else len(text)]
    connection = before.endswith(";")
    return connection or (
        len(before) <= 80
        and len(after) <= 200
        and _OWN_LINE.fullmatch(before) is not None
        and _AFTER.fullmatch(after) is not None
    )
