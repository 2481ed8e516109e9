"""The MCP server: the SDK's, with our definitions, our validation and our errors.

Both eras are the SDK's; this module holds what it leaves open: arguments are checked against the
schemas that are shown, every failure is typed, every call can be cancelled and has a time limit,
and the index is kept up to date beside the calls. A call whose client listens to its progress
waits a little for a first index instead of being sent away.
"""

from __future__ import annotations

import logging
import signal
import sys
import time
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import anyio
import anyio.abc
import anyio.to_thread
from mcp.server import CacheHint, Server
from mcp.server.caching import CacheableMethod
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from citator import __version__
from citator.mcp.arguments import checked
from citator.mcp.calls import answered, emptied
from citator.mcp.definitions import INSTRUCTIONS, PROFILES, SERVER_NAME, compact
from citator.mcp.desk import Desk
from citator.mcp.failures import failure_object
from citator.mcp.keeper import Keeper
from citator.mcp.offers import Offers, first_page
from citator.mcp.prelude import CACHE_MILLISECONDS, Wire
from citator.mcp.progress import INDEXING, Pulse, Report, accompanied
from citator.mcp.transport import streams
from citator.model.errors import CitatorError, RefusedError
from citator.model.trace import Level, tell, timed
from citator.service.call_log import CallLog
from mcp import types

if TYPE_CHECKING:
    from citator.service.workspace import Places

T = TypeVar("T")
Context = ServerRequestContext[Any, Any]

CALL_SECONDS: Final = 20.0
FIRST_INDEX_SECONDS: Final = 10.0
LOOK_SECONDS: Final = 0.5
CALLS_AT_ONCE: Final = 4
STATIC: Final[tuple[CacheableMethod, ...]] = (
    "server/discover",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
)


class Service:
    """What is served over one repository."""

    def __init__(
        self,
        desk: Desk,
        keeper: Keeper,
        limiter: anyio.CapacityLimiter,
        profile: str,
        debug: bool,
    ) -> None:
        self._desk = desk
        self._keeper = keeper
        self._limiter = limiter
        self._debug = debug
        self._log = CallLog(desk.start, desk.places)
        self._schemas = {tool["name"]: tool["inputSchema"] for tool in PROFILES[profile]}
        self.offers = Offers(desk, self.answer)
        self._listed = types.ListToolsResult.model_validate({"tools": list(PROFILES[profile])})

    async def list_tools(
        self, _: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """The definitions: one page, the same for everyone."""
        first_page(params)
        return self._listed

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """The answer to one call, or a typed failure. Raises MCPError for an unknown tool."""
        listens = "progress_token" in (context.meta or {})
        return await self.called(params, context.session.report_progress if listens else None)

    async def called(
        self, params: types.CallToolRequestParams, report: Report | None = None
    ) -> types.CallToolResult:
        """:meth:`call_tool`, telling ``report`` of its progress."""
        schema = self._schemas.get(params.name)
        if schema is None:
            raise MCPError(code=types.INVALID_PARAMS, message="Unknown tool")
        moment, begun = time.time(), time.perf_counter()
        try:
            with timed("call", tool=params.name):
                arguments = checked(schema, params.arguments or {})
                work = partial(self._desk.work, params.name, arguments)
                found = await accompanied(partial(self._found, work), report, CALL_SECONDS)
            text, failed = compact(found), None
        except Exception as error:
            found = None
            failure = failure_object(self._explained(error))
            text, failed = compact(failure), str(failure["error"]["code"])
        spent, size = time.perf_counter() - begun, len(text.encode())
        keep = partial(self._log.keep, params.name, moment, spent, size, failed)
        await anyio.to_thread.run_sync(keep, abandon_on_cancel=True)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text)],
            structured_content=found,
            is_error=failed is not None,
        )

    async def answer(self, work: Callable[[], T]) -> T:
        """What ``work`` returns. Raises the error that a client should see."""
        try:
            return await self._answered(work)
        except Exception as error:
            raise self._explained(error) from None

    async def _found(self, work: Callable[[], T], pulse: Pulse) -> T:
        """What ``work`` returns, once there is an index if somebody listens for so long."""
        try:
            return await self._answered(work)
        except CitatorError as error:
            if error.code != "index_not_built" or not pulse.heard:
                raise
            missing = error
        pulse.doing = INDEXING
        self._keeper.nudge()
        with anyio.move_on_after(FIRST_INDEX_SECONDS):
            while not self._keeper.failing:
                await anyio.sleep(LOOK_SECONDS)
                try:
                    return await self._answered(work)
                except CitatorError as error:
                    if error.code != "index_not_built":
                        raise
        raise missing

    async def _answered(self, work: Callable[[], T]) -> T:
        return await answered(work, CALL_SECONDS, self._limiter)

    def _explained(self, error: Exception) -> Exception:
        """The error as a client should see it; its code, or its class, goes to the log."""
        tell("failed", Level.ERROR, code=getattr(error, "code", None), kind=type(error).__name__)
        if not isinstance(error, CitatorError):
            report_unforeseen(error, self._debug)
            return error
        if error.code != "index_not_built":
            return error
        self._keeper.nudge()
        if self._keeper.failing:
            return error
        return RefusedError(
            "index_being_built",
            "The history of this repository is being indexed for the first time.",
            "Go on with other work and ask again in a minute.",
        )


def make_server(service: Service) -> Server[Any]:
    """The SDK's server around ``service``. It traces nothing."""
    hint = CacheHint(ttl_ms=CACHE_MILLISECONDS, scope="public")
    offers = service.offers
    server: Server[Any] = Server(
        SERVER_NAME,
        version=__version__,
        instructions=INSTRUCTIONS,
        cache_hints=dict.fromkeys(STATIC, hint),
        on_list_tools=service.list_tools,
        on_call_tool=service.call_tool,
        on_list_resources=offers.list_resources,
        on_list_resource_templates=offers.list_templates,
        on_read_resource=offers.read,
        on_list_prompts=offers.list_prompts,
        on_get_prompt=offers.get_prompt,
        on_completion=offers.complete,
    )
    server.middleware.clear()
    return server


async def run(wire: Wire, start: Path, places: Places, profile: str, debug: bool) -> None:
    """Serve ``wire`` until its input ends or the process is asked to end."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    logging.getLogger("mcp").setLevel(logging.WARNING if debug else logging.CRITICAL)
    command = build_command(start, places)
    report = partial(report_unforeseen, debug=debug)
    limiter = anyio.CapacityLimiter(CALLS_AT_ONCE + 1)
    keeper = Keeper(Desk(start, places).is_behind, command, report, limiter)
    service = Service(Desk(start, places, keeper.nudge), keeper, limiter, profile, debug)
    server = make_server(service)
    try:
        async with _ended_by_signal() as tasks:
            tasks.start_soon(keeper.run)
            async with streams(wire) as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())
    finally:
        await emptied(limiter)


def build_command(start: Path, places: Places) -> list[str]:
    """How to build the index elsewhere. ``-P``: never import from the directory it runs in."""
    arguments = [str(start.absolute()), str(places.data), str(places.config)]
    return [sys.executable, "-P", "-m", "citator.mcp.build", *arguments]


@asynccontextmanager
async def _ended_by_signal() -> AsyncIterator[anyio.abc.TaskGroup]:
    """Tasks that end when the block does, or at a signal to end."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_cancel_on_signal, tasks.cancel_scope)
        yield tasks
        tasks.cancel_scope.cancel()


async def _cancel_on_signal(scope: anyio.CancelScope) -> None:
    names = ("SIGTERM", "SIGINT", "SIGHUP")
    wanted = [getattr(signal, name) for name in names if hasattr(signal, name)]
    try:
        with anyio.open_signal_receiver(*wanted) as received:
            async for _ in received:
                scope.cancel()
                return
    except NotImplementedError:  # Windows: the default actions stay
        return


def report_unforeseen(error: Exception, debug: bool) -> None:
    """Say on stderr that something unforeseen happened: its class, and more only if asked."""
    sys.stderr.write(f"citator: internal error: {type(error).__name__}\n")
    if debug:
        traceback.print_exception(error, file=sys.stderr)
