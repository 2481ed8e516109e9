"""What is offered beside the tools: evidence by address, completion, and prompts.

- A resource is what ``read_evidence`` gives for one reference, with the same bounds and problems.
- Every refusal is a protocol error with ``code``, ``what`` and ``todo`` in its data. An address is
  repeated only where it is plain or names a reference.
- Lists are one page, the same for everyone, and hold no word of a repository.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from citator.mcp.answers import READ_TODO
from citator.mcp.definitions import PROTOCOL, compact
from citator.mcp.desk import Desk
from citator.mcp.failures import failure_object
from citator.mcp.prompts import OFFERED, SKILL, worded
from citator.mcp.resources import TEMPLATE, TEMPLATES, VARIABLE, ref_of
from citator.model.errors import RefusedError, UsageError
from citator.model.plain import is_plain
from mcp import types

Answer = Callable[[Callable[[], Any]], Awaitable[Any]]
Context = ServerRequestContext[Any, Any]

NOT_FOUND_AT_HANDSHAKE: Final = -32002  # what those revisions say where later ones say -32602
COMPLETED: Final = 20
LINES: Final = 200
_NOT_FOUND: Final = ("malformed_ref", "unknown_ref", "ambiguous_ref")
_WHAT: Final = {
    "malformed_ref": "This is not the address of evidence.",
    "unknown_ref": "There is no such evidence.",
    "ambiguous_ref": "More than one reference begins like this.",
    "damaged": "The stored text does not match its reference.",
    "no_room": "The text does not fit into one answer.",
}


class Offers:
    """The handlers. ``answer`` does blocking work of ``desk`` and raises what a client may see."""

    def __init__(self, desk: Desk, answer: Answer) -> None:
        self._desk = desk
        self._answer = answer
        self._templates = types.ListResourceTemplatesResult.model_validate(
            {"resourceTemplates": list(TEMPLATES)}
        )
        self._prompts = types.ListPromptsResult.model_validate(
            {"prompts": [prompt.definition for prompt in OFFERED.values()]}
        )

    async def list_resources(
        self, _: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Nothing."""
        first_page(params)
        return types.ListResourcesResult(resources=[])

    async def list_templates(
        self, _: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """The one template."""
        first_page(params)
        return self._templates

    async def list_prompts(
        self, _: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """The prompts."""
        first_page(params)
        return self._prompts

    async def read(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """One item of ``read_evidence``. Raises MCPError."""
        item = await self.item(params.uri, context.protocol_version)
        content = types.TextResourceContents(
            uri=params.uri, mime_type=TEMPLATE["mimeType"], text=compact(item)
        )
        return types.ReadResourceResult(contents=[content])

    async def item(self, uri: str, version: str) -> dict[str, Any]:
        """What ``read_evidence`` gives for the reference at ``uri``. Raises MCPError."""
        ref = ref_of(uri)
        item: dict[str, Any] = {"problem": "malformed_ref"}
        if ref is not None:
            asked = {"refs": [ref], "start": None, "max_lines": LINES}
            found = await self._answered(partial(self._desk.work, "read_evidence", asked))
            (item,) = found["items"]
        if "problem" in item:
            raise _unreadable(item["problem"], uri, version)
        return item

    async def get_prompt(
        self, _: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        """The text of a prompt. Raises MCPError."""
        prompt = OFFERED.get(params.name)
        if prompt is None:
            raise refusal(_no_prompt(), types.INVALID_PARAMS)
        try:
            text = worded(prompt, params.arguments or {})
        except UsageError as error:
            raise refusal(error, types.INVALID_PARAMS) from None
        if prompt is SKILL:
            name = text.rpartition("\n")[2]
            skill = await self._answered(partial(self._desk.skill, name))
            if skill is None:
                raise refusal(_no_skill(), types.INVALID_PARAMS)
            text = text.removesuffix(name) + skill
        said = types.TextContent(type="text", text=text)
        return types.GetPromptResult(
            description=prompt.definition["description"],
            messages=[types.PromptMessage(role="user", content=said)],
        )

    async def complete(
        self, _: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """References, or names of active skills, that begin like the value; nothing else."""
        name, value = params.argument.name, params.argument.value
        if isinstance(params.ref, types.PromptReference):
            if params.ref.name not in OFFERED:
                raise refusal(_no_prompt(), types.INVALID_PARAMS)
            begun = partial(self._desk.skills, value)
            is_skill = params.ref.name == "skill" and name == "name"
            return _completion(await self._answered(begun) if is_skill else [])
        if params.ref.uri != TEMPLATE["uriTemplate"] or name != VARIABLE:
            nothing = UsageError(
                "unknown_template", "There is no such template.", f"Use {TEMPLATE['uriTemplate']}."
            )
            raise refusal(nothing, types.INVALID_PARAMS)
        return _completion(
            await self._answered(partial(self._desk.completions, value, COMPLETED + 1))
        )

    async def _answered(self, work: Callable[[], Any]) -> Any:
        try:
            return await self._answer(work)
        except Exception as error:
            raise refusal(error, types.INTERNAL_ERROR) from None


def first_page(params: types.PaginatedRequestParams | None) -> None:
    """Go on, or raise MCPError for a cursor: no list here has a second page."""
    if params is not None and params.cursor is not None:
        raise MCPError(code=types.INVALID_PARAMS, message="Unknown cursor")


def refusal(error: Exception, code: int, extra: Mapping[str, Any] | None = None) -> MCPError:
    """``error`` as a protocol error, with what a failed call would say in its data."""
    told = failure_object(error)["error"]
    return MCPError(code=code, message=told["what"], data={**told, **(extra or {})})


def _unreadable(problem: str, uri: str, version: str) -> MCPError:
    error = RefusedError(problem, _WHAT[problem], READ_TODO[problem])
    code = types.INTERNAL_ERROR
    if problem in _NOT_FOUND:
        modern = version == PROTOCOL
        code = types.INVALID_PARAMS if modern else NOT_FOUND_AT_HANDSHAKE
    harmless = is_plain(uri) or ref_of(uri) is not None
    return refusal(error, code, {"uri": uri} if harmless else None)


def _no_prompt() -> UsageError:
    return UsageError(
        "unknown_prompt", "There is no such prompt.", f"Use one of: {', '.join(OFFERED)}."
    )


def _no_skill() -> UsageError:
    return UsageError(
        "unknown_skill",
        "There is no active skill of that name.",
        "A person lists them: citator skills list.",
    )


def _completion(values: list[str]) -> types.CompleteResult:
    return types.CompleteResult(
        completion=types.Completion(
            values=values[:COMPLETED], has_more=len(values) > COMPLETED or None
        )
    )
