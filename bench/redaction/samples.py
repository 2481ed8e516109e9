"""Made-up commit messages that hold a secret, and messages that only seem to, from one seed.

Sentences are ours; secrets are random characters in the shapes of their services, put together
at run time. Nothing here was leaked by anybody.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from tests.sources.secrets import HEX, UPPER, WORD, key_block, text, tokens, uuid

SEED = 2024
ROUNDS = 10

SENTENCES = (
    "Drop the old credentials\n\nThe job still used {}, which is revoked.\n",
    "Fix the deploy\n\nIt failed because {} had expired.\n\nFixes #12\n",
    "Rotate what leaked\n\n* remove {} from the script\n* tell the team\n",
    "Move settings\n\n    export SETTING={}\n\nwas set on one machine only.\n",
    'Add an example\n\nThe call looks like `run --with "{}"` and is slow.\n',
)
ASSIGNMENTS = (
    ("password", "Set it up\n\npassword: {}\n"),
    ("password", "Fix login\n\nThe test used DB_PASSWORD='{}' by mistake.\n"),
    ("password", "Fix pool\n\n    host: db\n    password: {}\n    port: 5432\n"),
    ("password", "Deploy\n\nRun `deploy --password {} --all` once.\n"),
    ("secret", 'Fix client\n\n  "client_secret": "{}",\n'),
    ("secret", "Fix signing\n\nSIGNING_SECRET={}\n"),
    ("api key", "Fix search\n\napi_key = '{}'\n"),
    ("api key", "Fix search\n\nThe log shows ?api_key={}&page=2 in clear.\n"),
    ("token", "Fix hook\n\nauth_token: {}\n"),
    ("token", "Fix hook\n\nAuthorization: Bearer {}\n"),
)
URLS = (
    "Fix tests\n\nDATABASE_URL=postgres://app:{}@db.internal:5432/app was hard coded.\n",
    "Fix queue\n\nIt talked to amqp://worker:{}@queue/ without TLS.\n",
    "Fix mirror\n\ngit clone https://bot:{}@git.internal/x.git\n",
    "Fix cache\n\nredis://:{}@cache:6379/0\n",
)


class Sample(NamedTuple):
    """A message; what secret it holds (None: none), and the group it is counted in."""

    group: str
    message: str
    secret: str | None


def positives() -> Iterator[Sample]:
    """Messages with one secret each."""
    pick = random.Random(SEED)
    for _ in range(ROUNDS):
        for kind, several in tokens(pick).items():
            for token in several:
                yield Sample(kind, pick.choice(SENTENCES).format(token), token)
        yield from _by_service(pick)
        for name, sentence in ASSIGNMENTS:
            value = _password(pick) if name == "password" else _value(pick)
            yield Sample(f"{name} beside its name", sentence.format(value), value)
        for sentence in URLS:
            value = _password(pick)
            yield Sample("password in an address", sentence.format(value), value)
        for name in ("RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED "):
            block = key_block(pick, name)
            yield Sample("private key", f"Drop the key\n\n{block}\n\nIt is revoked.\n", block)


def negatives() -> Iterator[Sample]:
    """Messages without a secret that hold what looks like one."""
    pick = random.Random(SEED + 1)
    for _ in range(ROUNDS):
        for group, line in _innocent(pick):
            yield Sample(group, f"Change the build\n\nIt mattered because {line}\n", None)


def _by_service(pick: random.Random) -> Iterator[Sample]:
    aws = text(pick, WORD + "+/", 40)
    yield Sample("aws secret key", f"Fix sync\n\naws_secret_access_key = {aws}\n", aws)
    aws = text(pick, WORD + "/", 40)
    yield Sample("aws secret key", f"Fix sync\n\nAWS secret access key: `{aws}` leaked.\n", aws)
    azure = text(pick, WORD + "+/", 86) + "=="
    yield Sample(
        "azure storage key",
        f"Fix blobs\n\nDefaultEndpointsProtocol=https;AccountName=x;AccountKey={azure};\n",
        azure,
    )
    heroku = uuid(pick)
    yield Sample("heroku key", f"Fix deploy\n\nHEROKU_API_KEY={heroku}\n", heroku)
    cloudflare = text(pick, WORD, 40)
    yield Sample("cloudflare token", f"Fix DNS\n\nCLOUDFLARE_API_TOKEN={cloudflare}\n", cloudflare)
    hook = f"T{text(pick, UPPER, 8)}/B{text(pick, UPPER, 8)}/{text(pick, WORD, 24)}"
    yield Sample("slack webhook", f"Notify\n\nhttps://hooks.slack.com/services/{hook}\n", hook)
    discord = f"M{text(pick, WORD, 23)}.{text(pick, WORD, 6)}.{text(pick, WORD, 27)}"
    yield Sample("discord bot token", f"Fix the bot\n\nIt ran with {discord} here.\n", discord)


def _password(pick: random.Random) -> str:
    forms = (
        pick.choice(("sunflower", "thunder", "magpie", "orchard", "velvet"))
        + str(pick.randint(10, 99)),
        text(pick, WORD, pick.randint(8, 20)),
        text(pick, WORD, 6) + pick.choice("!$%^*+~") + text(pick, WORD, 5),
        pick.choice(("Swordfish", "letmeinnow", "opensesame", "trustnoone")),
    )
    return pick.choice(forms)


def _value(pick: random.Random) -> str:
    forms = (text(pick, HEX, 32), text(pick, HEX, 64), uuid(pick), text(pick, WORD, 40))
    return pick.choice(forms)


def _innocent(pick: random.Random) -> Iterator[tuple[str, str]]:
    sha1, sha256 = text(pick, HEX, 40), text(pick, HEX, 64)
    base64 = text(pick, WORD + "+/", 86) + "=="
    word = pick.choice(("required", "optional", "rotated", "missing", "string"))
    yield "commit id", f"{sha1} changed it."
    yield "commit id", f"This reverts commit {sha1}."
    yield "digest", f"sha256:{sha256} is pinned."
    yield "digest", f"the checksum is {sha256}."
    yield "digest", f"md5 {text(pick, HEX, 32)} differs."
    yield "lock file", f'"integrity": "sha512-{base64}"'
    yield "lock file", f'checksum = "{sha256}"'
    yield "UUID", f"the record {uuid(pick)} was lost."
    yield "image", f"![x](data:image/png;base64,iVBORw0KGgo{text(pick, WORD + '+/', 120)})"
    yield "Change-Id", f"of this.\n\nChange-Id: I{sha1}"
    yield "placeholder", "password: <your-password>"
    yield "placeholder", "api_key = YOUR_API_KEY_HERE"
    yield "placeholder", "secret: xxxxxxxxxxxx"
    yield "placeholder", "token=${GITHUB_TOKEN}"
    yield "placeholder", "password: {{ vault_db_password }}"
    yield "placeholder", "postgres://user:${DB_PASSWORD}@host/db is read late."
    yield "code", "password = get_password(user)"
    yield "code", "token = self.next_token"
    yield "code", "params[:password] was logged."
    yield "code", 'secret = os.environ["APP_SECRET"]'
    yield "code", "api_key: Optional[str] = None"
    yield "code", "let token = tokenizer.next();"
    yield "prose", f"password: {word}"
    yield "prose", f"the token: a {word} value, was ignored."
    yield "prose", "the secret key is rotated each day."
    yield "prose", "password must be at least 8 characters."
    yield "prose", "the passwords, secrets and tokens are gone."
    yield "address", "https://example.org:8443/a@b was refused."
    yield "address", "git@git.example.org:team/name.git moved."
    yield "identifier", f"sk-{word}-button-container-wrapper moved."
    yield "identifier", f"key-{word}-pair-of-the-old-index is {pick.randint(1, 9)}."
    yield "identifier", f"TestWhatHappensWhenTheCacheIs{word.title()}Twice fails."
    yield "path", f"src/main/java/org/example/{word}/Cache{pick.randint(10, 99)}Test.java moved."
    yield "version", f"v1.0-{text(pick, HEX, 8)} was tagged on 2024-01-02T03:04:05Z."
