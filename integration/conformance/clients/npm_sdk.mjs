// The client program on the official npm SDK, both versions, with its session helpers as their documentation shows.
// NPM_SDK names the folder in whose node_modules the SDK is.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: { agent: { type: "string" }, version: { type: "string" }, careful: { type: "boolean", default: false } },
});
const v2 = options.version === "2";
const { careful } = options;
const GRACE = 1000; // milliseconds a careful host gives an agent to confirm a cancel

const require = createRequire(path.join(process.env.NPM_SDK, "index.js"));
const entry = v2 ? "@agentclientprotocol/sdk/experimental/v2" : "@agentclientprotocol/sdk";
const acp = await import(pathToFileURL(require.resolve(`${entry}/unstable`)).href);
const { methods } = acp;

const CANCELLED = { outcome: { outcome: "cancelled" } };
const REQUEST_CANCELLED = -32800;

// the dialogs of the application: a click resolves them

const dialogs = [];
const switches = { alwaysAllow: false, failing: false };

// Shows a question until it is clicked, or until the agent cancels it.
function show(kind, sessionId, signal) {
  return new Promise((resolve) => {
    dialogs.push({ kind, sessionId, click: resolve });
    if (signal.aborted) resolve("dismiss");
    signal.addEventListener("abort", () => resolve("dismiss"), { once: true });
  });
}

function click(button, fits) {
  for (const dialog of dialogs) if (fits(dialog)) dialog.click(button);
}

const everything = () => true;
const of = (conversation) => (dialog) => dialog.sessionId === conversation.session.sessionId;
const permissionsOf = (conversation) => (dialog) => of(conversation)(dialog) && dialog.kind === "permission";

// the sessions of the application

const sessions = new Map();

class Conversation {
  constructor(session) {
    this.session = session;
    this.cancelling = false;
    this.running = false;
    sessions.set(session.sessionId, this);
    this.read().catch(() => {}); // the connection has ended
  }

  async read() {
    for (;;) {
      const message = await this.session.nextUpdate();
      if (message.kind === "stop") this.ended(message.stopReason ?? "without a reason");
      else follow(this, message.update);
    }
  }

  // A turn has ended. Version 2 repeats idle states, which are one end.
  ended(end) {
    if (!this.running) return;
    this.running = false;
    this.cancelling = false;
    tell("turn", { end });
  }

  prompt(text) {
    this.running = true;
    this.withdrawal = new AbortController();
    this.session.prompt(text, { cancellationSignal: this.withdrawal.signal }).catch((error) => {
      if (connection.signal.aborted) return;
      const cancelled = careful && error.code === REQUEST_CANCELLED;
      this.ended(cancelled ? "cancelled" : `error ${error.code}`);
    });
  }

  async cancel() {
    this.cancelling = true;
    await connection.agent.notify(methods.agent.session.cancel, { sessionId: this.session.sessionId });
    if (!careful) return;
    click("dismiss", permissionsOf(this));
    setTimeout(() => this.cancelling && this.running && this.ended("unconfirmed"), GRACE).unref();
  }

  async close() {
    sessions.delete(this.session.sessionId);
    if (careful) click("dismiss", of(this));
    const outcome = await connection.agent.request(methods.agent.session.close, { sessionId: this.session.sessionId }).then(
      () => "ok",
      (error) => `error ${error.code}`,
    );
    tell("closed", { outcome });
  }

  async stop(toolCallId) {
    if (!this.session.canCancelToolCall) tell("cannot", { what: "has no means to stop a tool call" });
    else if (this.session.canCancelToolCall(toolCallId)) await this.session.cancelToolCall(toolCallId);
  }
}

const tell = (what, params) => connection.agent.notify(`_kit/${what}`, params);

function follow(conversation, update) {
  if (update.sessionUpdate === "state_update" && update.state === "running") conversation.running = true;
  const text = update.sessionUpdate === "agent_message_chunk" ? update.content.text ?? "" : "";
  if (text.startsWith("host: ")) act(conversation, text.slice("host: ".length));
}

async function act(conversation, what) {
  const [word, ...rest] = what.split(" ");
  const argument = rest.join(" ");
  const actions = {
    cancel: () => conversation.cancel(),
    withdraw: () => conversation.withdrawal.abort(),
    prompt: () => conversation.prompt(argument),
    open: async () => new Conversation(await connection.agent.buildSession(process.cwd()).start()),
    close: () => conversation.close(),
    echo: () => tell("echo", { text: argument }),
    stop: () => conversation.stop(argument.slice("tool ".length)),
    quit: () => quit(),
    allow: () => click("allow", of(conversation)),
    dismiss: () => click("dismiss", of(conversation)),
    always: () => (switches.alwaysAllow = true),
    fail: () => (switches.failing = true),
  };
  await actions[word]();
}

async function quit() {
  if (careful) {
    click("dismiss", everything);
    await new Promise((resolve) => setImmediate(resolve)); // lets the handlers return what was clicked
  }
  connection.close();
}

// what the agent asks

async function requestPermission({ params, signal }) {
  if (switches.failing) throw new Error("the dialog cannot be shown");
  if (careful && isOver(params)) return CANCELLED;
  const button = switches.alwaysAllow ? "allow" : await show("permission", params.sessionId, signal);
  if (button !== "allow") return CANCELLED;
  return { outcome: { outcome: "selected", optionId: params.options[0].optionId } };
}

// Whether a question is of work that was cancelled, or of a session that was closed.
function isOver(params) {
  const conversation = sessions.get(params.sessionId);
  if (!conversation) return true;
  return conversation.cancelling && !(v2 && conversation.session.isForBackgroundWork(params));
}

async function createElicitation({ params, signal }) {
  const button = await show("form", params.sessionId, signal);
  return button === "allow" ? { action: "accept", content: { name: "Somebody" } } : { action: "cancel" };
}

// the program

const [command, ...rest] = JSON.parse(options.agent);
const child = spawn(command, rest, { stdio: ["pipe", "pipe", "inherit"] });
const connection = acp
  .client({ name: "kit" })
  .onRequest(methods.client.session.requestPermission, requestPermission)
  .onRequest(methods.client.elicitation.create, createElicitation)
  .onNotification(methods.client.elicitation.complete, () => {})
  .connect(acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
const info = { name: "kit", version: "1" };
const elicitation = { form: {} };
await connection.agent.request(
  methods.agent.initialize,
  v2
    ? { protocolVersion: 2, info, capabilities: { elicitation } }
    : { protocolVersion: 1, clientInfo: info, clientCapabilities: { elicitation } },
);
const session = await connection.agent.buildSession(process.cwd()).start();
new Conversation(session).prompt("begin");
await connection.closed;
child.kill();
process.exit(0);
