// Asks one question with a JavaScript SDK's client over stdio, reads the first evidence by its
// address, gets a prompt, and prints what came back.
//
//     node sdk_client.mjs v1|legacy|auto|modern TASK COMMAND [ARGUMENT...]
//
// v1 is the SDK's first line (it knows handshakes only); the others are modes of the second.

const [mode, task, command, ...args] = process.argv.slice(2);
const who = { name: "live-test", version: "1" };

async function connected() {
  if (mode === "v1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const client = new Client(who);
    await client.connect(new StdioClientTransport({ command, args, env: process.env }));
    return [client, "legacy"];
  }
  const { Client } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const wanted = mode === "modern" ? { pin: "2026-07-28" } : mode;
  const client = new Client(who, { versionNegotiation: { mode: wanted } });
  await client.connect(new StdioClientTransport({ command, args, env: process.env }));
  return [client, client.getProtocolEra()];
}

const [client, era] = await connected();
const { tools } = await client.listTools();
const answer = await client.callTool({ name: "investigate_work", arguments: { task, read: 1 } });
const { ref } = answer.structuredContent.evidence[0];
const { resources } = await client.listResources();
const { resourceTemplates } = await client.listResourceTemplates();
const { uriTemplate } = resourceTemplates[0];
const completed = await client.complete({
  ref: { type: "ref/resource", uri: uriTemplate },
  argument: { name: "ref", value: ref.slice(0, 20) },
});
const uri = uriTemplate.replace("{ref}", encodeURIComponent(ref));
const read = await client.readResource({ uri });
const { prompts } = await client.listPrompts();
const prompt = await client.getPrompt({ name: "why", arguments: { question: task } });
await client.close();
console.log(
  JSON.stringify({
    era,
    tools: tools.map((tool) => tool.name),
    answer,
    resources,
    completed: completed.completion.values,
    read: read.contents[0],
    prompts: prompts.map((one) => one.name),
    prompt: prompt.messages[0].content.text,
  }),
);
