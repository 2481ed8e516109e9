"""Secrets are taken out, what only looks like one stays, and lines keep their numbers."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citator.sources.redaction import marker, redact
from tests.sources.secrets import HEX, WORD, key_block, text, tokens, uuid

PICK = random.Random(20)
TOKENS = [(kind, token) for kind, several in tokens(PICK).items() for token in several]
AWS_SECRET = text(PICK, WORD, 18) + "/" + text(PICK, WORD, 21)


@pytest.mark.parametrize(("kind", "token"), TOKENS, ids=[kind for kind, _ in TOKENS])
def test_a_token_is_known_by_its_shape(kind: str, token: str) -> None:
    for form in (
        "{}",
        "the value {} leaked",
        "export X='{}'",
        "({})",
        "a={},b",
        "\n{}\n",
        "x\t{}.",
    ):
        assert redact(form.format(token)) == (form.format(marker(kind)), 1), form


@pytest.mark.parametrize(
    ("before", "secret", "after", "kind"),
    [
        ("password: ", "hunter2", "", "password"),
        ("password: ", "swordfish", "", "password"),
        ("  DB_PASSWORD=", "s3cr3t!pass", "", "password"),
        ("PASSWORD = '", "letmein", "'", "password"),
        ("- password: ", "123456", "", "password"),
        ("the admin password: ", "Tr0ub4dor&3", " must go", "password"),
        ('{"client_secret": "', "a1b2c3d4e5", '"}', "secret"),
        ("api_key = ", "0f8fad5b-d9cb-469f-a165-70867728950e", "", "api_key"),
        ("API key: ", "abcd1234efgh", "", "api_key"),
        (
            "token: ",
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "",
            "token",
        ),
        ("SECRET_KEY_BASE=", "9f86d081884c7d659a2feaa0c55ad015", "", "secret_key"),
        ("curl 'https://x.org/?api_key=", "abcd1234efgh", "&page=2'", "api_key"),
        ("deploy --password ", "hunter22", " --force", "password"),
        ("Server=db;User=a;Password=", "letmein", ";", "password"),
        ("passphrase: '", "correct horse battery", "'", "password"),
        ("postgres://admin:", "pass", "@db.internal/app", "url_password"),
        ("see https://me:", "a$b%20c", "@example.org/x", "url_password"),
        ("redis://:", "s3cr3t", "@cache:6379", "url_password"),
        ("Authorization: Bearer ", "abcdef1234567890", "", "authorization"),
        ("authorization: basic ", "dXNlcjpwYXNzMTIz", "", "authorization"),
        ("machine github.com login me password ", "abc-not-real", "", "password"),
        ("curl -u me:", "s3cr3tpw", " https://x.org", "password"),
        ("aws_secret_access_key = ", AWS_SECRET, "", "aws_secret_key"),
        ("AccountKey=", text(PICK, WORD, 86) + "==", ";Endpoint", "azure_storage_key"),
        ("HEROKU_API_KEY ", uuid(PICK), "", "heroku_key"),
        ("cloudflare token ", text(PICK, WORD, 40), "", "cloudflare_token"),
        ("discord bot ", "M" + "a1" * 12 + ".AbCdEf." + "x9" * 14, "", "discord_bot_token"),
        (
            "https://hooks.slack.com/services/",
            "T0A1B2C3D/B0A1B2C3D/abcdEFGH1234",
            "",
            "slack_webhook",
        ),
        ("https://discord.com/api/webhooks/12345678901234567/", "aB3" * 22, "", "discord_webhook"),
        ('"auth": "', "dXNlcjpwYXNzd29yZDE=", '"', "docker_auth"),
        (
            "https://x.blob.core.windows.net/?sv=1&sig=",
            "aB3%2F" * 10 + "%3D",
            "&se=2",
            "azure_signature",
        ),
    ],
)
def test_a_value_is_secret_by_what_stands_beside_it(
    before: str, secret: str, after: str, kind: str
) -> None:
    assert redact(f"{before}{secret}{after}") == (f"{before}{marker(kind)}{after}", 1)


@pytest.mark.parametrize(
    "line",
    [
        "password: <password>",
        "password: ${DB_PASSWORD}",
        "password: $DB_PASSWORD",
        "password: {{ vault.password }}",
        "password: %(password)s",
        "password: xxxxxxxx",
        "password: ********",
        "password: None",
        "password: required",
        'password: "password"',
        "password: your-password",
        "password = get_password(user)",
        "password = self.password",
        "password: params[:password]",
        "password: !vault admin_password",
        "password: /run/secrets/db",
        "password: must be at least 8 characters",
        'password: "can\'t be blank"',
        "if password == secret123456:",
        "The token: identifier mapping changed",
        "secret: string",
        "token = next_token",
        "api_key: str",
        "tokens: 12345678",
        "--token builtin:0:0",
        "Add password reset and secret rotation",
        "ssh style password requests",
        "postgres://user:${PGPASSWORD}@host/db",
        "https://user:<token>@example.org",
        "https://example.org:8080/@scope/package",
        "git@github.com:owner/name.git",
        "fixes the secret key: see docs",
        "This reverts commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b.",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7k',
        "id 0f8fad5b-d9cb-469f-a165-70867728950e",
        "![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12)",
        "sk-button-container-wrapper-primary",
        "key-value pairs, pat-downs, a task-based scheduler",
        "SKIPPED and ACCEPTED in uppercase",
        "Change-Id: I9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    ],
)
def test_what_only_looks_like_a_secret_stays(line: str) -> None:
    assert redact(line) == (line, 0)


def test_every_line_of_a_private_key_is_replaced() -> None:
    block = key_block(PICK)
    found, count = redact(f"before\n{block}\nafter")
    lines = block.count("\n") + 1
    assert found.split("\n") == ["before", *[marker("private_key")] * lines, "after"]
    assert count == 1


def test_a_quoted_key_keeps_its_prefix_and_a_header_its_place() -> None:
    block = key_block(PICK, "EC ", 2).replace("\n", "\n> ")
    text = "> " + block.replace("KEY-----\n> ", "KEY-----\n> Proc-Type: 4,ENCRYPTED\n> \n> ", 1)
    found, count = redact(text)
    mark = f"> {marker('private_key')}"
    assert found.split("\n") == [mark, mark, "> ", mark, mark, mark, mark]
    assert count == 1


def test_a_key_that_was_cut_off_is_replaced_up_to_the_prose() -> None:
    block = "\n".join(key_block(PICK).split("\n")[:4])
    found, count = redact(f"{block}\nThis is prose after it.\n\nMore.")
    assert found == f"{marker('private_key')}\n" * 4 + "This is prose after it.\n\nMore."
    assert count == 1


def test_a_key_on_one_line_is_replaced_in_place() -> None:
    inline = key_block(PICK).replace("\n", "\\n")
    assert redact(f'{{"private_key": "{inline}\\n", "x": 1}}') == (
        f'{{"private_key": "{marker("private_key")}\\n", "x": 1}}',
        1,
    )


def test_a_key_that_is_only_mentioned_loses_no_prose() -> None:
    text = "Look for -----BEGIN RSA PRIVATE KEY----- in files.\nIt is the usual mark."
    found, _ = redact(text)
    assert found == f"Look for {marker('private_key')} in files.\nIt is the usual mark."


def test_several_secrets_are_counted_one_by_one() -> None:
    first, second = tokens(PICK)["github_token"][:2]
    text = f"{first} and {second}\npassword: hunter2\n"
    assert redact(text)[1] == 3
    assert "hunter2" not in redact(text)[0]


def test_a_secret_after_text_whose_case_changes_its_length_is_found() -> None:
    text = "İİİ İstanbul password: hunter2"
    assert redact(text) == (f"İİİ İstanbul password: {marker('password')}", 1)


def test_nothing_of_a_secret_is_kept() -> None:
    for kind, token in TOKENS:
        found, _ = redact(f"was {token} here")
        assert found == f"was {marker(kind)} here"


PIECES = st.sampled_from(
    [
        *(token for _, token in TOKENS[::3]),
        *(
            "password: ",
            "secret=",
            "token ",
            "hunter2",
            "'",
            '"',
            "\n",
            " ",
            "://",
            "a:b@c",
            "=",
            ":",
        ),
        *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "A" * 64, "[redacted:jwt]"),
        *("--password ", "x", "Authorization: Bearer ", "curl -u a:", "é", "\u0130", ";", "&", "?"),
    ]
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_lines_keep_their_numbers_and_a_second_time_changes_nothing(text: str) -> None:
    once, count = redact(text)
    assert once.count("\n") == text.count("\n")
    assert redact(once) == (once, 0)
    assert (count == 0) == (once == text)


@pytest.mark.parametrize(
    "unit",
    [
        *("eyJ", "eyJa.", "ghp_", "github_pat_", "sk-", "://a:", "://", "password=", "password: '"),
        *(
            "aws ",
            "aws secret=",
            "token:",
            "-----BEGIN PRIVATE KEY-----\n",
            "secret_key",
            "a.",
            "A",
        ),
        *("SG.", "curl -u ", "bearer ", "machine a login b ", "heroku ", "xoxb-", "key-", "/", "="),
        *(
            "cloudflare ",
            "discord M",
            "--password ",
            "?sig=",
            "v1.0-",
            "private key ",
            "\u0130key=",
        ),
    ],
)
def test_hostile_lines_end(unit: str) -> None:
    """Half a megabyte of anything on one line: minutes where a pattern goes back."""
    hostile = (unit * 500_000)[:500_000]
    redacted, count = redact(hostile)
    assert redacted.count("\n") == hostile.count("\n")
    assert count <= redacted.count("[redacted:")


def test_long_digests_stay_in_any_number() -> None:
    line = " ".join(text(PICK, HEX, 64) for _ in range(50))
    assert redact(line) == (line, 0)
