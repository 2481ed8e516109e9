#!/bin/sh
# What an MCP scanner says of the server's tools, offline: bench/scan/run.sh SCANNER [REPOSITORY]
#
#   python3 -m venv build/scan && build/scan/bin/pip install cisco-ai-mcp-scanner==4.8.7
#   bench/scan/run.sh build/scan/bin/mcp-scanner
#
# Its yara and schema analyzers need no key, no model and no network. A poisoned definition of our
# own goes first: a scanner that says nothing of it would say nothing of ours.
set -eu
scanner=$1
root=${2:-.}
here=$(cd "$(dirname "$0")" && pwd)
export LITELLM_LOCAL_MODEL_COST_MAP=true
quiet() { grep -v -e LiteLLM -e '^$' || true; }
echo "== the control: a poisoned definition"
"$scanner" --analyzers yara,schema --format by_severity static --tools "$here/poisoned.json" 2>/dev/null | quiet
echo "== citator serve, over stdio"
"$scanner" --analyzers yara,schema --format by_tool stdio --stdio-command citator \
    --stdio-arg=serve --stdio-arg=--root --stdio-arg="$root" 2>/dev/null | quiet
