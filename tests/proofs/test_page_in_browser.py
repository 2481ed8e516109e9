"""The decisions page in a real browser: nothing in it runs, is fetched, or hides; it can be used.

Skipped, and said so, where the machine has no Chromium.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from citator.model.visibility import Audience
from citator.service import export_html
from tests.support.browser import Browser, browser, executable
from tests.support.exported import HOSTILE, ledger, record

pytestmark = pytest.mark.skipif(
    executable() is None, reason="no Chromium on this machine: the page was not opened in a browser"
)

CARDS = "Array.from(document.querySelectorAll('main .card'))"
VISIBLE = f"{CARDS}.filter(card => card.offsetParent !== null).length"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("page") / "decisions.html"
    export_html.export([record(ledger()[0])], Audience(unapproved=True), target, HOSTILE)
    return target


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


def test_hostile_words_do_not_run_and_nothing_is_fetched(opened: Browser, page: Path) -> None:
    opened.open(page)
    opened.value("document.querySelectorAll('details').forEach(d => { d.open = true })")
    assert opened.value("document.title") == HOSTILE
    assert opened.value("document.querySelectorAll('script').length") == 1
    assert opened.value("document.querySelectorAll('img,iframe,object,link,form').length") == 0
    ours = "details > .scroll > svg[role=img]"
    assert opened.value(f"document.querySelectorAll('svg:not({ours})').length") == 0
    drawn = opened.value("Array.from(document.querySelectorAll('svg *')).map(e => e.tagName)")
    assert set(drawn) <= {"title", "g", "path", "circle", "text", "tspan"}
    every = "Array.from(document.querySelectorAll('*')).flatMap(e => e.getAttributeNames())"
    names = opened.value(f"Array.from(new Set({every}))")
    assert not [name for name in names if name.startswith("on") or name in ("style", "src")]
    links = opened.value("Array.from(document.links).every(a => a.getAttribute('href')[0] === '#')")
    assert links is True
    assert opened.asked_for() == [page.resolve().as_uri()]
    assert opened.complaints() == []
    assert "reversed" in opened.value("document.body.innerText")


def test_the_policy_stops_a_script_that_is_not_ours(opened: Browser, page: Path) -> None:
    content = page.read_text(encoding="utf-8")
    planted = page.with_name("planted.html")
    planted.write_text(
        content.replace("<main ", "<script>document.title='owned'</script><main ").replace(
            "</main>", "<img src=x onerror=\"document.title='owned'\"></main>"
        ),
        encoding="utf-8",
    )
    opened.open(planted)
    assert opened.value("document.title") == HOSTILE
    assert any("Content Security Policy" in str(one) for one in opened.complaints())
    control = page.with_name("control.html")
    control.write_text(
        planted.read_text(encoding="utf-8").replace("Content-Security-Policy", "Nothing"),
        encoding="utf-8",
    )
    opened.open(control)
    assert opened.value("document.title") == "owned"


def test_a_search_narrows_the_page_and_says_how_far(opened: Browser, page: Path) -> None:
    opened.open(page)
    assert opened.value(VISIBLE) == 6
    search = (
        "(w => {{ const e = document.getElementById('{0}'); e.value = w;"
        " e.dispatchEvent(new Event('input')) }})({1!r})"
    )
    opened.value(search.format("words", "RESTART thread"))
    assert opened.value(VISIBLE) == 2
    assert opened.value("document.getElementById('found').textContent") == "2 of 6 shown"
    opened.value(search.format("standing", "in_force"))
    assert opened.value(VISIBLE) == 1
    opened.value(search.format("words", "nowhere"))
    assert opened.value(VISIBLE) == 0
    assert opened.value("document.getElementById('none').offsetParent !== null") is True
    opened.value("location.hash = document.querySelector('main .card').id")
    opened.call(
        "Runtime.evaluate",
        expression="new Promise(done => requestAnimationFrame(done))",
        awaitPromise=True,
    )
    assert opened.value(VISIBLE) == 6


def test_the_page_reads_without_scripts(opened: Browser, page: Path) -> None:
    opened.scripts(enabled=False)
    try:
        opened.open(page)
        found = opened.call("DOM.getDocument", depth=-1)["root"]
        body = opened.call("DOM.getOuterHTML", nodeId=found["nodeId"])["outerHTML"]
        assert 'id="search" class="search" role="search" hidden' in body
        assert body.count("<article") == 6
        box = opened.call("DOM.querySelector", nodeId=found["nodeId"], selector="main .card h2")
        assert opened.call("DOM.getBoxModel", nodeId=box["nodeId"])["model"]["height"] > 0
    finally:
        opened.scripts(enabled=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_their_ground_in_both_schemes(
    opened: Browser, page: Path, scheme: str
) -> None:
    opened.media(prefers_color_scheme=scheme)
    opened.open(page)
    worst = opened.value(CONTRAST)
    assert worst["ratio"] >= 4.5, worst


def test_every_field_has_a_name_and_headings_have_an_order(opened: Browser, page: Path) -> None:
    opened.open(page)
    tree = opened.call("Accessibility.getFullAXTree")["nodes"]
    fields = [
        node["name"]["value"]
        for node in tree
        if node.get("role", {}).get("value") in ("searchbox", "combobox")
    ]
    assert fields == ["Search within", "Standing", "Kind"]
    roles = {node.get("role", {}).get("value") for node in tree}
    assert {"banner", "navigation", "main", "search", "article"} <= roles
    levels = opened.value(
        "Array.from(document.querySelectorAll('h1,h2,h3,h4,h5,h6')).map(h => +h.tagName[1])"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_a_narrow_window_needs_no_sideways_scrolling(opened: Browser, page: Path) -> None:
    opened.size(320, 700)
    try:
        opened.open(page)
        opened.value("document.querySelectorAll('details').forEach(d => { d.open = true })")
        assert opened.value("document.documentElement.scrollWidth") <= 320
    finally:
        opened.size(1280, 900)


CONTRAST = """
(() => {
  const parse = c => c.match(/[\\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = parse(c).map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor;
    if (parse(c)[3] !== 0) return c; } return 'rgb(255,255,255)'; };
  document.querySelectorAll('details').forEach(d => { d.open = true });
  let worst = {ratio: 99};
  document.querySelectorAll('body *').forEach(e => {
    const own = Array.from(e.childNodes).some(n => n.nodeType === 3 && n.data.trim());
    if (!own || !e.offsetParent || e.tagName === 'SCRIPT') return;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < worst.ratio) worst = {ratio, tag: e.tagName, name: e.className};
  });
  return worst;
})()
"""
