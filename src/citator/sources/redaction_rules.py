"""What a secret looks like: one row a kind of token, each behind words that must be there first.

- A row is tried only where one of its ``triggers`` stands in the text: that is what makes a
  history cheap to read. ``folded`` rows look in the lower-cased text.
- No token is shorter than ``SHORTEST`` characters without a space; no ``folded`` row's is shorter
  than ``SHORTEST_NAMED``.
- A pattern begins with its literal and checks the boundary before it afterwards, and it counts
  with bounds or without going back: no text makes it slow. It never crosses a line.
- Group ``v``, where there is one, is what is replaced; else all that matched.
- A row stands for a shape that is a secret by itself. Values that are secret only because of the
  name beside them are in ``assignments.py``.
- Digests, commit ids, UUIDs and lock-file hashes have none of these shapes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

SHORTEST = 15
SHORTEST_NAMED = 26
# Triggers that may follow a letter or a digit.
INNER = (":AA", "Q~", "sig=", ".atlasv1.", "hooks.slack.com", "/api/webhooks/")


class Rule(NamedTuple):
    """One row: the marker's kind, the words that must be there, the expression."""

    kind: str
    triggers: tuple[str, ...]
    pattern: str
    folded: bool = False


# Ends where no letter or digit follows; where no letter of the token's own alphabet follows.
_E = r"(?![A-Za-z0-9])"
_F = r"(?![A-Za-z0-9_-])"
_GITLAB = r"[A-Za-z0-9_-]{20,300}+(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9})?"
_UUID = "-".join(rf"[0-9a-fA-F]{{{length}}}" for length in (8, 4, 4, 4, 12))


def _after(prefix: str, outside: str = "A-Za-z0-9") -> str:
    """``prefix`` (of one length) where no character of ``outside`` stands before it."""
    return f"{prefix}(?<![{outside}]{prefix})"


def _word(prefix: str) -> str:
    return _after(prefix, "A-Za-z0-9_-")


# Tokens of a fixed prefix: kind, prefix, what follows.
_PREFIXED = (
    ("github_token", "github_pat_", r"[A-Za-z0-9_]{22,255}+"),
    ("gitlab_token", "GR1348941", r"[A-Za-z0-9_-]{20,64}+"),
    ("google_api_key", "AIza", rf"[A-Za-z0-9_-]{{35}}{_F}"),
    ("google_oauth_secret", "GOCSPX-", rf"[A-Za-z0-9_-]{{28}}{_F}"),
    ("google_oauth_token", "ya29\\.", r"[A-Za-z0-9_-]{20,1024}+"),
    ("slack_token", "xapp-", r"[0-9]-[A-Za-z0-9-]{10,255}+"),
    ("stripe_webhook_secret", "whsec_", r"[A-Za-z0-9+/=]{24,128}+"),
    ("npm_token", "npm_", rf"[A-Za-z0-9]{{36}}{_E}"),
    ("pypi_token", "pypi-AgEIcHlwaS5vcmc", r"[A-Za-z0-9_-]{40,1024}+"),
    ("pypi_token", "pypi-AgENdGVzdC5weXBpLm9yZ", r"[A-Za-z0-9_-]{40,1024}+"),
    ("rubygems_key", "rubygems_", rf"[a-f0-9]{{48}}{_E}"),
    ("anthropic_key", "sk-ant-", r"[A-Za-z0-9_-]{16,255}+"),
    ("sendgrid_key", "SG\\.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}+"),
    ("heroku_key", "HRKU-", r"[A-Za-z0-9_-]{30,80}+"),
    ("square_token", "EAAA", rf"[A-Za-z0-9_-]{{60}}{_F}"),
    ("mailgun_key", "key-", rf"[0-9a-f]{{32}}{_E}"),
    ("cloudflare_token", "v1\\.0-", rf"[a-f0-9]{{24}}-[a-f0-9]{{146}}{_E}"),
    ("databricks_token", "dapi", rf"[0-9a-f]{{32}}(?:-[0-9])?{_E}"),
    ("huggingface_token", "hf_", rf"[A-Za-z0-9]{{34}}{_E}"),
    ("groq_key", "gsk_", rf"[A-Za-z0-9]{{52}}{_E}"),
    ("xai_key", "xai-", rf"[A-Za-z0-9]{{70,90}}{_E}"),
    ("replicate_token", "r8_", rf"[A-Za-z0-9]{{37}}{_E}"),
    ("perplexity_key", "pplx-", rf"[A-Za-z0-9]{{48}}{_E}"),
    ("linear_key", "lin_api_", rf"[A-Za-z0-9]{{40}}{_E}"),
    ("notion_token", "ntn_", rf"[A-Za-z0-9]{{40,60}}{_E}"),
    ("notion_token", "secret_", rf"(?=[A-Za-z]{{0,42}}[0-9])[A-Za-z0-9]{{43}}{_E}"),
    ("atlassian_token", "ATATT3", r"[A-Za-z0-9_=-]{50,400}+"),
    ("atlassian_token", "ATCTT3", r"[A-Za-z0-9_=-]{50,400}+"),
    ("bitbucket_password", "ATBB", rf"[A-Za-z0-9]{{32}}{_E}"),
    ("newrelic_key", "NRAK-", rf"[A-Z0-9]{{27}}{_E}"),
    ("sentry_token", "sntrys_", r"[A-Za-z0-9_+/=-]{40,400}+"),
    ("sentry_token", "sntryu_", r"[A-Za-z0-9_+/=-]{40,400}+"),
    ("pulumi_token", "pul-", rf"[a-f0-9]{{40}}{_E}"),
    ("grafana_token", "glsa_", r"[A-Za-z0-9_]{32,64}+"),
    ("grafana_token", "glc_", r"[A-Za-z0-9+/=]{32,400}+"),
    ("fly_token", "fo1_", r"[A-Za-z0-9_+/=-]{40,1024}+"),
    ("supabase_token", "sbp_", rf"[a-f0-9]{{40}}{_E}"),
    ("age_key", "AGE-SECRET-KEY-1", rf"[A-Z0-9]{{58}}{_E}"),
    ("postman_key", "PMAK-", rf"[a-f0-9]{{24}}-[a-f0-9]{{34}}{_E}"),
    ("crates_token", "cio", rf"(?=[A-Za-z]{{0,31}}[0-9])[A-Za-z0-9]{{32}}{_E}"),
    ("nuget_key", "oy2", rf"[a-z0-9]{{43}}{_E}"),
    ("airtable_token", "pat", rf"[A-Za-z0-9]{{14}}\.[a-f0-9]{{64}}{_E}"),
    ("artifactory_token", "AKCp", rf"[A-Za-z0-9]{{60,80}}{_E}"),
    ("dropbox_token", "sl\\.", r"[A-Za-z0-9_-]{120,400}+"),
    ("facebook_token", "EAAC", rf"[A-Za-z0-9]{{90,400}}+{_E}"),
    ("onepassword_token", "ops_eyJ", r"[A-Za-z0-9_-]{100,}+"),
    ("figma_token", "figd_", r"[A-Za-z0-9_-]{40,64}+"),
    ("clojars_token", "CLOJARS_", rf"[a-z0-9]{{60}}{_E}"),
    ("tailscale_key", "tskey-", r"[a-z]{2,12}-[A-Za-z0-9-]{10,64}+"),
    ("contentful_token", "CFPAT-", rf"[A-Za-z0-9_-]{{43}}{_F}"),
)

# Tokens of one of several prefixes of one length: kind, triggers, expression.
_FAMILIES = (
    (
        "github_token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        _after("gh[pousr]_") + rf"[A-Za-z0-9]{{36,255}}+{_E}",
    ),
    (
        "gitlab_token",
        ("glpat-", "glcbt-", "glptt-", "glimt-", "gloas-"),
        _after("gl(?:pat|cbt|ptt|imt|oas)-") + _GITLAB,
    ),
    (
        "gitlab_token",
        ("gldt-", "glrt-", "glft-"),
        _after("gl[drf]t-") + _GITLAB,
    ),
    (
        "gitlab_token",
        ("glagent-", "glffct-", "glsoat-"),
        r"gl(?:agent|ffct|soat)-" + _GITLAB,
    ),
    (
        "aws_access_key",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        _after("A(?:KI|SI|BI|CC)A") + rf"[A-Z0-9]{{16}}{_E}",
    ),
    (
        "slack_token",
        ("xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"),
        _after("xox[abcdeoprs]-") + r"[A-Za-z0-9%-]{10,255}+",
    ),
    (
        "stripe_key",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_"),
        _after("[sr]k_(?:live|test)_") + r"[A-Za-z0-9]{10,255}+",
    ),
    (
        "openai_key",
        ("sk-",),
        _word("sk-") + r"(?=[A-Za-z_-]{0,200}+[0-9])(?=[a-z0-9_-]{0,200}+[A-Z]|or-v1-)"
        r"[A-Za-z0-9_-]{20,255}+",
    ),
    ("twilio_key", ("SK", "AC"), _after("(?:SK|AC)") + rf"[0-9a-f]{{32}}{_E}"),
    (
        "digitalocean_token",
        ("dop_v1_", "doo_v1_", "dor_v1_"),
        _after("do[por]_v1_") + rf"[a-f0-9]{{64}}{_E}",
    ),
    (
        "shopify_token",
        ("shpat_", "shpca_", "shppa_", "shpss_"),
        _after("shp(?:at|ca|pa|ss)_") + rf"[a-fA-F0-9]{{32}}{_E}",
    ),
    (
        "square_token",
        ("sq0atp-", "sq0csp-", "sq0idp-"),
        _after("sq0(?:atp|csp|idp)-") + r"[A-Za-z0-9_-]{22,60}+",
    ),
    (
        "vault_token",
        ("hvs.", "hvb.", "hvr."),
        _word("hv[sbr]\\.") + r"[A-Za-z0-9_-]{20,300}+",
    ),
    (
        "docker_token",
        ("dckr_pat_", "dckr_oat_"),
        _after("dckr_[po]at_") + r"[A-Za-z0-9_-]{27,64}+",
    ),
    (
        "fly_token",
        ("fm1a_", "fm1r_"),
        _after("fm1[ar]_") + r"[A-Za-z0-9_+/=-]{40,1024}+",
    ),
    (
        "planetscale_token",
        ("pscale_",),
        r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_-]{32,64}+",
    ),
    (
        "doppler_token",
        ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa."),
        _word("dp\\.[psc][ta]\\.") + r"[A-Za-z0-9_-]{40,64}+",
    ),
    (
        "jwt",
        ("eyJ",),
        _word("eyJ") + r"[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+",
    ),
    (
        "telegram_bot_token",
        (":AA",),
        rf"(?<![A-Za-z0-9])[0-9]{{8,10}}:AA[A-Za-z0-9_-]{{32,34}}{_F}",
    ),
    (
        "azure_client_secret",
        ("Q~",),
        r"(?<![A-Za-z0-9_~-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",
    ),
    ("azure_signature", ("sig=",), r"[?&;]sig=(?P<v>[A-Za-z0-9%+/]{40,128}+(?:%3[dD]|=)?)"),
    (
        "terraform_token",
        (".atlasv1.",),
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,80}+",
    ),
    (
        "slack_webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<v>[A-Za-z0-9_/-]{20,255}+)",
    ),
    (
        "discord_webhook",
        ("/api/webhooks/",),
        r"/api/webhooks/[0-9]{16,20}/(?P<v>[A-Za-z0-9_-]{60,72}+)",
    ),
)

# Shapes that are a secret beside the name of their service.
_NAMED = (
    (
        "heroku_key",
        ("heroku",),
        rf"(?i:heroku)[^\n]{{0,40}}?(?<![A-Za-z0-9-])(?P<v>{_UUID}){_F}",
    ),
    (
        "azure_storage_key",
        ("accountkey", "sharedaccesskey", "account_key", "storage_key", "storagekey"),
        r"(?i:(?:account_?|sharedaccess|storage_?)key)[\"']?[ \t]{0,2}[=:][ \t]{0,2}[\"']?"
        r"(?P<v>[A-Za-z0-9+/]{40,100}+={0,2})",
    ),
    (
        "discord_bot_token",
        ("discord", "bot"),
        _word("[MNO]") + r"[A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}" + _F,
    ),
    ("mailgun_key", ("mailgun",), rf"[0-9a-f]{{32}}-[0-9a-f]{{8}}-[0-9a-f]{{8}}{_F}"),
    (
        "mailchimp_key",
        ("-us",),
        rf"[0-9a-f]{{32}}(?<![0-9a-f]{{33}})-us[0-9]{{1,2}}{_F}",
    ),
    (
        "cloudflare_token",
        ("cloudflare", "cf_api", "cf-api"),
        r"(?i:cloudflare|cf[_-]api)[^\n]{0,40}?[\"' =:](?P<v>(?=[A-Za-z_-]{0,40}+[0-9])"
        rf"(?=[a-z0-9_-]{{0,40}}+[A-Z])[A-Za-z0-9_-]{{40}}|[0-9a-f]{{37}}){_F}",
    ),
    (
        "vault_token",
        ("vault",),
        _word("[sbr]\\.") + rf"(?=[A-Za-z]{{0,23}}[0-9])[A-Za-z0-9]{{24}}{_F}",
    ),
    (
        "aws_secret_key",
        ("aws", "secret", "access"),
        r"(?i:aws|secret|access)[^\n]{0,40}?[\"' =:>`](?P<v>(?=[A-Za-z/+]{0,40}+[0-9])"
        r"(?=[a-z0-9/+]{0,40}+[A-Z])(?=[A-Z0-9/+]{0,40}+[a-z])[A-Za-z0-9/+]{40})"
        r"(?![A-Za-z0-9/+=_.-])",
    ),
)


def rules() -> Iterator[Rule]:
    """Every row, those of a longer prefix before those that it contains."""
    for kind, prefix, body in _PREFIXED:
        yield Rule(kind, (prefix.replace("\\", ""),), _word(prefix) + body)
    for kind, triggers, pattern in _FAMILIES:
        yield Rule(kind, triggers, pattern)
    for kind, triggers, pattern in _NAMED:
        yield Rule(kind, triggers, pattern, folded=True)
