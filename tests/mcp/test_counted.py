"""The calls of a server are counted, and told with the brief when it is asked for in detail."""

from __future__ import annotations

from pathlib import Path

from tests.mcp.serving import Home, Server
from tests.support.builder import Builder


def test_calls_are_counted_with_their_errors(tmp_path: Path) -> None:
    builder = Builder.init(tmp_path / "barn")
    builder.write("src/hay.py", "A = 1\n").commit("Begin")
    with Server(builder.path, Home.under(tmp_path)) as server:
        speaker = server.open("modern")
        assert speaker.failure("finish_work", ticket="9", outcome="abandoned")
        assert speaker.answer("get_brief")["brief"]
        assert speaker.failure("finish_work", ticket="9", outcome="sold")
        told = speaker.answer("get_brief", detail=True)["statistics"]
    rows = {one["tool"]: one for one in told["tools"]}
    assert (rows["finish_work"]["calls"], rows["finish_work"]["errors"]) == (2, 2)
    assert (rows["get_brief"]["calls"], rows["get_brief"]["errors"]) == (1, 0)
    assert rows["get_brief"]["tokens"] > 10
    assert 0 < rows["get_brief"]["p50"] <= rows["get_brief"]["p99"]
    assert told["predictions"]["judged"] == 0
