"""Secrets for tests, put together at run time so that no scanner finds one in this file."""

from __future__ import annotations

import random
import string

WORD = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
URL_SAFE = WORD + "-_"


def text(pick: random.Random, alphabet: str, length: int) -> str:
    """``length`` random characters, with a letter of each case and digits where there are any."""
    must = [pick.choice(part) for part in ("abcdef", "ABCDEF", "23456789") if part[0] in alphabet]
    rest = [pick.choice(alphabet) for _ in range(length - len(must))]
    every = [*must, *rest]
    pick.shuffle(every)
    return "".join(every)[:length]


def uuid(pick: random.Random) -> str:
    """A UUID."""
    return "-".join(text(pick, HEX, length) for length in (8, 4, 4, 4, 12))


def key_block(pick: random.Random, name: str = "RSA ", lines: int = 6) -> str:
    """A private key in PEM form."""
    body = "\n".join(text(pick, WORD + "+/", 64) for _ in range(lines))
    last = text(pick, WORD + "+/", 42) + "=="
    return f"-----BEGIN {name}PRIVATE KEY-----\n{body}\n{last}\n-----END {name}PRIVATE KEY-----"


def tokens(pick: random.Random) -> dict[str, list[str]]:
    """Secrets that are known by their shape, by the kind that their marker names."""

    def word(length: int, alphabet: str = WORD) -> str:
        return text(pick, alphabet, length)

    def safe(length: int) -> str:
        return text(pick, URL_SAFE, length).strip("-_").ljust(length, "x")

    return {
        "github_token": [
            "ghp_" + word(36),
            "ghs_" + word(36),
            "github_pat_" + word(22) + "_" + word(59),
        ],
        "gitlab_token": [
            "glpat-" + safe(20),
            "gldt-" + safe(20),
            "glrt-" + safe(20),
            "glptt-" + word(40),
        ],
        "aws_access_key": ["AKIA" + word(16, UPPER), "ASIA" + word(16, UPPER)],
        "google_api_key": ["AIza" + safe(35)],
        "google_oauth_secret": ["GOCSPX-" + safe(28)],
        "google_oauth_token": ["ya29." + safe(60)],
        "slack_token": [
            "xoxb-" + word(12, "0123456789") + "-" + word(24),
            "xapp-1-" + word(11, UPPER) + "-" + word(40),
        ],
        "stripe_key": ["sk_live_" + word(24), "rk_test_" + word(24)],
        "stripe_webhook_secret": ["whsec_" + word(32)],
        "npm_token": ["npm_" + word(36)],
        "pypi_token": ["pypi-AgEIcHlwaS5vcmc" + safe(120)],
        "rubygems_key": ["rubygems_" + word(48, HEX)],
        "anthropic_key": ["sk-ant-api03-" + safe(80)],
        "openai_key": ["sk-" + word(48), "sk-proj-" + safe(60)],
        "twilio_key": ["SK" + word(32, HEX), "AC" + word(32, HEX)],
        "sendgrid_key": ["SG." + safe(22) + "." + safe(43)],
        "azure_client_secret": [word(3) + "8Q~" + safe(34)],
        "heroku_key": ["HRKU-" + uuid(pick)],
        "digitalocean_token": ["dop_v1_" + word(64, HEX)],
        "jwt": ["eyJ" + safe(20) + ".eyJ" + safe(60) + "." + safe(43)],
        "telegram_bot_token": [word(9, "123456789") + ":AA" + safe(33)],
        "shopify_token": ["shpat_" + word(32, HEX), "shpss_" + word(32, HEX)],
        "square_token": ["sq0atp-" + safe(22), "sq0csp-" + safe(43)],
        "mailgun_key": ["key-" + word(32, HEX)],
        "mailchimp_key": [word(32, HEX) + "-us12"],
        "databricks_token": ["dapi" + word(32, HEX)],
        "vault_token": ["hvs." + safe(90)],
        "terraform_token": [word(14) + ".atlasv1." + safe(67)],
        "docker_token": ["dckr_pat_" + safe(27)],
        "huggingface_token": ["hf_" + word(34)],
        "groq_key": ["gsk_" + word(52)],
        "linear_key": ["lin_api_" + word(40)],
        "notion_token": ["ntn_" + word(46)],
        "atlassian_token": ["ATATT3" + safe(180)],
        "bitbucket_password": ["ATBB" + word(32)],
        "newrelic_key": ["NRAK-" + word(27, UPPER)],
        "sentry_token": ["sntrys_" + safe(80), "sntryu_" + word(64, HEX)],
        "pulumi_token": ["pul-" + word(40, HEX)],
        "grafana_token": ["glsa_" + word(32) + "_" + word(8, HEX)],
        "planetscale_token": ["pscale_tkn_" + safe(43)],
        "supabase_token": ["sbp_" + word(40, HEX)],
        "age_key": ["AGE-SECRET-KEY-1" + word(58, UPPER)],
        "postman_key": ["PMAK-" + word(24, HEX) + "-" + word(34, HEX)],
        "crates_token": ["cio" + word(32)],
        "nuget_key": ["oy2" + word(43, string.ascii_lowercase + "234567")],
        "airtable_token": ["pat" + word(14) + "." + word(64, HEX)],
        "artifactory_token": ["AKCp" + word(69)],
        "dropbox_token": ["sl." + safe(135)],
        "figma_token": ["figd_" + safe(40)],
        "tailscale_key": ["tskey-auth-" + word(16) + "-" + word(32)],
        "cloudflare_token": ["v1.0-" + word(24, HEX) + "-" + word(146, HEX)],
    }
