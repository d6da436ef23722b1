// An agent on the official npm SDK that does what the words of a prompt say. No model, no account.
//
//   node ts_agent.mjs [--protocol v1|v2|both] [--websocket]
//
// It talks over stdio, or with --websocket serves ws://127.0.0.1:N/acp, writes {"port":N} to stdout and ends when its
// stdin does. NPM_SDK names the folder in whose node_modules the SDK and `ws` are. NEED_AUTH=1 asks for a login.
//
// Words, played in order:
//   plain think hold perm perm2 elicit elicit_url plan usage commands title unknown big=KB extension error refuse
//   v1 also: mode files terminal      v2 also: upsert notice compaction shell reject
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

import { agentV1 } from "./ts_agent_v1.mjs";
import { agentV2 } from "./ts_agent_v2.mjs";

const require = createRequire(path.join(process.env.NPM_SDK ?? process.cwd(), "index.js"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const v1 = await load("@agentclientprotocol/sdk/unstable");
const v2 = await load("@agentclientprotocol/sdk/experimental/v2/unstable");

const words = process.argv.slice(2);
const protocol = words.includes("--protocol") ? words[words.indexOf("--protocol") + 1] : "both";
const makers = {
  v1: () => agentV1(v1),
  v2: () => agentV2(v2),
  both: () => v2.agentProtocolRouter().withV1(agentV1(v1)).withV2(agentV2(v2)),
};

async function serveStdio() {
  const connection = makers[protocol]().connect(
    v1.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)),
  );
  await connection.closed;
}

async function serveWebSocket() {
  const { AcpServer } = await load("@agentclientprotocol/sdk/experimental/server");
  const { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } = await load(
    "@agentclientprotocol/sdk/experimental/node",
  );
  const { WebSocketServer } = require("ws");
  const acp = new AcpServer({ createAgent: makers[protocol] });
  const server = http.createServer(createNodeHttpHandler(acp));
  server.on("upgrade", createNodeWebSocketUpgradeHandler(acp, new WebSocketServer({ noServer: true })));
  server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ port: server.address().port })));
  process.stdin.resume();
  await new Promise((resolve) => process.stdin.once("end", resolve));
  await acp.close();
}

await (words.includes("--websocket") ? serveWebSocket() : serveStdio());
process.exit(0);
