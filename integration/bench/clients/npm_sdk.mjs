// The official npm SDK, as its documentation shows. Variants: "notification" = client().onNotification(session/update),
// "active" = ActiveSession.nextUpdate(). NPM_PEERS names the folder whose node_modules has the SDK, zod and ws.
// Takes the arguments of scenarios.py and prints the same JSON line.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values: args } = parseArgs({
  options: {
    transport: { type: "string", default: "stdio" },
    scenario: { type: "string" },
    n: { type: "string" },
    proto: { type: "string", default: "1" },
    agent: { type: "string" },
    url: { type: "string" },
    variant: { type: "string", default: "notification" },
  },
});
const n = Number(args.n);
const v2 = args.proto === "2";
const active = args.variant === "active";
const home = process.env.NPM_PEERS;
const sdk = `${home}/node_modules/@agentclientprotocol/sdk/dist/`;
const acp = await import(pathToFileURL(`${sdk}${v2 ? "v2" : "v1"}/stable/acp.js`).href);
const methods = acp.methods;

const memoryKb = (key) => Number(readFileSync("/proc/self/status", "utf8").match(new RegExp(`${key}:\\s+(\\d+)`))[1]);
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const percentile = (values, share) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
};

// what the application does

let count = 0;
let chars = 0;
let want = -1;
let delivered = null;
const idle = new Map();
const holding = { want: -1, held: [], full: null };

function onUpdate(params) {
  const update = params.update;
  if (update.sessionUpdate === "state_update") {
    if (update.state === "idle") endTurn(params.sessionId, params._meta);
    return;
  }
  if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") chars += update.content.text.length;
  if (++count === want && delivered) delivered();
}
function endTurn(sessionId, meta) {
  const ended = idle.get(sessionId);
  idle.delete(sessionId);
  ended?.(meta);
}
function expect(k) {
  want = k;
  return new Promise((resolve) => {
    delivered = resolve;
    if (count >= k) resolve();
  });
}
async function onPermission(params) {
  if (holding.want < 0) return { outcome: { outcome: "selected", optionId: params.options[0].optionId } };
  await new Promise((resolve) => {
    holding.held.push(resolve);
    if (holding.held.length === holding.want) holding.full();
  });
  return { outcome: { outcome: "cancelled" } };
}

async function openStream() {
  if (args.transport === "stdio") {
    const [command, ...rest] = args.agent.split(" ");
    const child = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
    return acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  }
  const { createWebSocketStream } = await import(pathToFileURL(`${sdk}transports/ws-stream.js`).href);
  const { WebSocket } = createRequire(`${home}/package.json`)("ws");
  return createWebSocketStream(args.url, { WebSocket });
}

class Driver {
  constructor(context) {
    this.context = context;
  }
  async connect() {
    const v1Params = { protocolVersion: 1, clientCapabilities: {} };
    const v2Params = { protocolVersion: 2, info: { name: "bench", version: "0" }, capabilities: {} };
    await this.context.request(methods.agent.initialize, v2 ? v2Params : v1Params);
  }
  async newSession() {
    const answer = await this.context.request(methods.agent.session.new, { cwd: "/tmp", mcpServers: [] });
    if (active) this.follow(answer).catch(() => {});
    return answer.sessionId;
  }
  async follow(answer) {
    const session = this.context.attachSession(answer);
    for (;;) {
      const message = await session.nextUpdate();
      if (message.kind === "session_update") onUpdate(message.notification);
      else if (v2 && message.kind === "stop") endTurn(answer.sessionId, {});
    }
  }
  async prompt(sessionId) {
    const params = { sessionId, prompt: [{ type: "text", text: "go" }] };
    if (!v2) return (await this.context.request(methods.agent.session.prompt, params))._meta;
    const ended = new Promise((resolve) => idle.set(sessionId, resolve));
    await this.context.request(methods.agent.session.prompt, params);
    return await ended;
  }
  echo(sessionId) {
    const params = { sessionId, modeId: "code" };
    return this.context.request(v2 ? "_bench/echo" : methods.agent.session.setMode, params);
  }
  cancel(sessionId) {
    return this.context.notify(methods.agent.session.cancel, { sessionId });
  }
}

// the measured parts

const clock = {
  start() {
    this.c = cpu();
    this.t = performance.now();
  },
  stop() {
    this.cpu = cpu() - this.c;
    this.wall = (performance.now() - this.t) / 1e3;
  },
};

async function stream(driver) {
  const sessionId = await driver.newSession();
  const all = expect(n);
  clock.start();
  const agent = await driver.prompt(sessionId);
  await all;
  clock.stop();
  return { delivered: count, chars, agent, rate: count / clock.wall };
}
async function manySessions(driver) {
  const before = memoryKb("VmRSS");
  const sessions = [];
  for (let i = 0; i < n; i++) sessions.push(await driver.newSession());
  const rss_idle_kb = memoryKb("VmRSS") - before;
  const all = expect(1000 * n);
  clock.start();
  await Promise.all(sessions.map((id) => driver.prompt(id)));
  await all;
  clock.stop();
  return { delivered: count, chars, rate: count / clock.wall, rss_idle_kb };
}
async function oneByOne(driver) {
  const sessionId = await driver.newSession();
  for (let i = 0; i < 500; i++) await driver.echo(sessionId);
  const waits = [];
  clock.start();
  for (let i = 0; i < n; i++) {
    const sent = performance.now();
    await driver.echo(sessionId);
    waits.push(performance.now() - sent);
  }
  clock.stop();
  return { rate: n / clock.wall, p50_us: percentile(waits, 0.5) * 1e3, p99_us: percentile(waits, 0.99) * 1e3 };
}
async function inFlight(driver) {
  const sessionId = await driver.newSession();
  const size = Math.floor(n / 20);
  const burst = () => Promise.all(Array.from({ length: size }, () => driver.echo(sessionId)));
  await burst();
  clock.start();
  for (let i = 0; i < 20; i++) await burst();
  clock.stop();
  return { rate: (20 * size) / clock.wall };
}
async function storm(driver) {
  const sessionId = await driver.newSession();
  clock.start();
  const agent = await driver.prompt(sessionId);
  clock.stop();
  return { rate: n / clock.wall, agent };
}
async function cancel(driver) {
  const sessionId = await driver.newSession();
  const full = new Promise((resolve) => {
    holding.full = resolve;
  });
  holding.want = n;
  const prompt = driver.prompt(sessionId);
  await full;
  clock.start();
  const sent = driver.cancel(sessionId);
  for (const release of holding.held) release();
  await sent;
  const agent = await prompt;
  clock.stop();
  return { cancel_ms: clock.wall * 1e3, agent };
}

const scenarios = { S3seq: oneByOne, S3conc: inFlight, S4: storm, S4cancel: cancel, S7: manySessions };

async function measure(context) {
  const driver = new Driver(context);
  await driver.connect();
  const rss_before_kb = memoryKb("VmRSS");
  const figures = await (scenarios[args.scenario] ?? stream)(driver);
  const result = { scenario: args.scenario, transport: args.transport, n, proto: Number(args.proto), ...figures };
  Object.assign(result, { elapsed_s: clock.wall, cpu_s: clock.cpu, rss_before_kb });
  Object.assign(result, { rss_after_kb: memoryKb("VmRSS"), rss_peak_kb: memoryKb("VmHWM") });
  console.log(JSON.stringify(result));
  process.exit(0);
}

try {
  const app = acp.client({ name: "bench" });
  if (!active) app.onNotification(methods.client.session.update, (context) => onUpdate(context.params));
  app.onRequest(methods.client.session.requestPermission, (context) => onPermission(context.params));
  await app.connectWith(await openStream(), measure);
} catch (error) {
  console.error(error);
  console.log(JSON.stringify({ error: String(error).slice(0, 300) }));
  process.exit(1);
}
