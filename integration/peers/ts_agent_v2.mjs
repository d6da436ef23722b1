// The agent in protocol version 2.
import { all, Cancelled, FORM, MODELS, OPTIONS, PLAN, play, Sessions, text, tryExtensions, untilCancelled, USAGE } from "./ts_agent_words.mjs";

const sessions = new Sessions();

const MCP = { stdio: {}, http: {} };
const CAPABILITIES = {
  session: {
    prompt: { image: {}, audio: {}, embeddedContext: {} },
    mcp: MCP,
    delete: {},
    additionalDirectories: {},
  },
  auth: { logout: {} },
};

const optionsOf = (session) => [
  { configId: "model", name: "Model", category: "model", type: "select", currentValue: session.model, options: MODELS },
];

// Sends an update and keeps it for a replay; of the states only the newest is kept.
function send(methods, client, session, update) {
  if (update.sessionUpdate === "state_update") session.state = update;
  else session.history.push(update);
  return client.notify(methods.client.session.update, { sessionId: session.id, update });
}

// One turn: what a session and a connection can do for its words.
class Turn {
  constructor(methods, client, session, signal) {
    Object.assign(this, { methods, client, session, signal });
    this.messageId = crypto.randomUUID();
    this.waiting = 0;
  }

  update(kind, fields) {
    return send(this.methods, this.client, this.session, { sessionUpdate: kind, ...fields });
  }

  state(state, fields = {}) {
    return this.update("state_update", { state, ...fields });
  }

  say(string) {
    return this.update("agent_message_chunk", { messageId: this.messageId, content: text(string) });
  }

  tool(toolCallId, fields) {
    return this.update("tool_call_update", { toolCallId, ...fields });
  }

  // Asks the client something; when the turn is cancelled it sends `$/cancel_request` and does not wait.
  async ask(method, params) {
    this.waiting += 1;
    await this.state("requires_action");
    const options = { cancellationSignal: this.signal, stopWaitingOnCancel: true };
    const answer = await this.client.request(method, { sessionId: this.session.id, ...params }, options);
    this.waiting -= 1;
    if (this.waiting === 0) await this.state("running");
    return answer;
  }

  async askPermission(name) {
    const toolCallId = `call-${name}`;
    const call = { toolCallId, title: "Run `make`", kind: "execute", status: "pending" };
    await this.tool(toolCallId, { ...call, name: "bash", rawInput: { command: "make" } });
    const question = {
      title: "Run `make`?",
      description: "Builds the project",
      subject: { type: "tool_call", toolCall: call },
      options: OPTIONS,
    };
    try {
      const { outcome } = await this.ask(this.methods.client.session.requestPermission, question);
      if (outcome.outcome !== "selected") throw new Cancelled();
      return await this.runTool(toolCallId, outcome.optionId);
    } catch (error) {
      await this.tool(toolCallId, { status: "cancelled" });
      throw error;
    }
  }

  async runTool(toolCallId, optionId) {
    const allowed = optionId !== "no";
    if (allowed) {
      await this.tool(toolCallId, { status: "in_progress" });
      const content = { type: "content", content: text("made") };
      await this.update("tool_call_content_chunk", { toolCallId, content });
    }
    await this.tool(toolCallId, { status: allowed ? "completed" : "failed", rawOutput: { allowed } });
    await this.say(`permission:${optionId} `);
  }

  async elicit(fields) {
    const answer = await this.ask(this.methods.client.elicitation.create, fields);
    await this.say(`elicitation:${JSON.stringify(answer)} `);
  }

  async rewriteMessage() {
    const message = (content, fields) => this.update("agent_message", { messageId: this.messageId, content, ...fields });
    await message([text("whole message")]);
    await message(null);
    await message([text("replaced")], { _meta: { revision: 2 } });
  }

  async compact() {
    const compaction = { compactionId: "c1" };
    await this.update("compaction_update", { ...compaction, status: "in_progress" });
    await this.update("compaction_summary_chunk", { ...compaction, content: text("summary") });
    await this.update("compaction_update", { ...compaction, status: "completed" });
  }

  async runShell() {
    const terminalId = "terminal-1";
    const call = { toolCallId: "t1", title: "make", kind: "execute", status: "in_progress" };
    await this.update("terminal_update", { terminalId, command: "make", cwd: this.session.cwd });
    await this.tool("t1", { ...call, content: [{ type: "terminal", terminalId }] });
    const data = Buffer.from("héllo\n").toString("base64");
    await this.update("terminal_output_chunk", { terminalId, data });
    await this.update("terminal_update", { terminalId, exitStatus: { exitCode: 0 } });
    await this.tool("t1", { status: "completed" });
  }
}

function actionsOf(turn) {
  return {
    plain: async () => {
      for (const piece of ["Hello ", "from ", "version 2. "]) await turn.say(piece);
    },
    think: () => turn.update("agent_thought_chunk", { messageId: `${turn.messageId}-thought`, content: text("hmm ") }),
    hold: async () => {
      await turn.say("holding ");
      await untilCancelled(turn.signal);
    },
    upsert: () => turn.rewriteMessage(),
    perm: () => turn.askPermission(turn.session.history.length),
    perm2: async () => {
      await all(["a", "b"].map((name) => turn.askPermission(name)));
    },
    elicit: () => turn.elicit({ mode: "form", message: "Where to?", requestedSchema: FORM }),
    elicit_url: async () => {
      const page = { mode: "url", message: "Log in", elicitationId: "e1", url: "https://example.com/login" };
      await turn.elicit(page);
      await turn.client.notify(turn.methods.client.elicitation.complete, { elicitationId: "e1" });
    },
    plan: () => turn.update("plan_update", { plan: { type: "items", planId: "p1", entries: PLAN } }),
    usage: () => turn.update("usage_update", USAGE),
    commands: () =>
      turn.update("available_commands_update", {
        availableCommands: [
          { type: "command", name: "test", description: "Run tests", input: { type: "text", hint: "arguments" } },
        ],
      }),
    title: () => turn.update("session_info_update", { title: (turn.session.title = "New title") }),
    notice: () => turn.update("notice", { severity: "warning", title: "Careful", description: "Something" }),
    compaction: () => turn.compact(),
    shell: () => turn.runShell(),
    unknown: async () => {
      await turn.update("_peer_update", { x: 1 });
      await turn.update("hologram_update", { y: { z: 2 } });
      const content = { type: "hologram", data: "?" };
      await turn.update("agent_message_chunk", { messageId: turn.messageId, content, futureField: true });
      await turn.state("_dreaming");
      await turn.state("running");
    },
    big: (kilobytes) => turn.say("x".repeat(1024 * Number(kilobytes))),
    extension: async () => turn.say(await tryExtensions(turn.client)),
    error: () => {
      throw new Error("boom");
    },
    refuse: () => "refusal",
  };
}

export function agentV2(sdk) {
  const { methods, RequestError } = sdk;
  const own = methods.agent;
  const find = (id) => sessions.find(id, RequestError);
  const running = new Map();
  let loggedIn = !process.env.NEED_AUTH;

  async function run(client, session, prompt) {
    const stop = new AbortController();
    running.set(session.id, stop);
    const turn = new Turn(methods, client, session, stop.signal);
    await turn.state("running");
    let end;
    try {
      end = { stopReason: await play(prompt, actionsOf(turn), stop.signal) };
    } catch (error) {
      const cancelled = error instanceof Cancelled || stop.signal.aborted;
      end = cancelled ? { stopReason: "cancelled" } : { stopReason: "error", error: { code: -32603, message: error.message } };
    }
    running.delete(session.id);
    await turn.state("idle", end);
  }

  async function prompt({ params, client }) {
    const session = find(params.sessionId);
    if (params.prompt.some((block) => block.text === "reject")) throw RequestError.invalidParams({ why: "asked" });
    const messageId = crypto.randomUUID();
    await send(methods, client, session, { sessionUpdate: "user_message", messageId, content: params.prompt });
    setImmediate(() => run(client, session, params.prompt).catch(() => {})); // the connection may be gone by then
    return { messageId };
  }

  return sdk
    .agent({ name: "npm-agent-v2" })
    .onRequest(own.initialize, () => ({
      protocolVersion: sdk.PROTOCOL_VERSION,
      info: { name: "npm-agent", title: "Agent on the npm SDK", version: "1.0.0" },
      capabilities: CAPABILITIES,
      authMethods: [{ type: "agent", methodId: "token", name: "Token" }],
    }))
    .onRequest(own.auth.login, ({ params }) => {
      if (params.methodId !== "token") throw RequestError.invalidParams({ methodId: params.methodId });
      loggedIn = true;
      return {};
    })
    .onRequest(own.auth.logout, () => {
      loggedIn = false;
      return {};
    })
    .onRequest(own.session.new, ({ params }) => {
      if (!loggedIn) throw RequestError.authRequired();
      sdk.assertSupportedMcpServers(params.mcpServers, MCP);
      const session = sessions.open(params.cwd, { state: { sessionUpdate: "state_update", state: "idle" } });
      return { sessionId: session.id, configOptions: optionsOf(session) };
    })
    .onRequest(own.session.list, ({ params }) => ({ sessions: sessions.list(params?.cwd) }))
    .onRequest(own.session.resume, async ({ params, client }) => {
      const session = find(params.sessionId);
      const replayed = params.replayFrom?.type === "start" ? session.history : [];
      for (const update of [...replayed, session.state]) {
        await client.notify(methods.client.session.update, { sessionId: session.id, update });
      }
      return { configOptions: optionsOf(session) };
    })
    .onRequest(own.session.close, ({ params }) => {
      running.get(find(params.sessionId).id)?.abort();
      return {};
    })
    .onRequest(own.session.delete, ({ params }) => {
      sessions.delete(find(params.sessionId).id);
      return {};
    })
    .onRequest(own.session.setConfigOption, ({ params }) => {
      const session = find(params.sessionId);
      session.model = params.value;
      return { configOptions: optionsOf(session) };
    })
    .onRequest(own.session.prompt, prompt)
    .onNotification(own.session.cancel, ({ params }) => running.get(params.sessionId)?.abort());
}
