// The agent in protocol version 1.
import { all, Cancelled, FORM, MODELS, OPTIONS, PLAN, play, Sessions, text, tryExtensions, untilCancelled, USAGE } from "./ts_agent_words.mjs";

const sessions = new Sessions();

const modesOf = (session) => ({
  currentModeId: session.mode,
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code", description: "No questions" },
  ],
});
// Modes are there twice, as agents of the transition offer them: clients that know options use these alone.
const optionsOf = (session) => [
  { id: "model", name: "Model", category: "model", type: "select", currentValue: session.model, options: MODELS },
  {
    id: "mode",
    name: "Mode",
    category: "mode",
    type: "select",
    currentValue: session.mode,
    options: modesOf(session).availableModes.map(({ id, name }) => ({ value: id, name })),
  },
];
const stateOf = (session) => ({ modes: modesOf(session), configOptions: optionsOf(session) });

const CAPABILITIES = {
  loadSession: true,
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  mcpCapabilities: { http: true, sse: true },
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
};

// One turn: what a session and a connection can do for its words.
class Turn {
  constructor(methods, client, session, signal) {
    Object.assign(this, { methods, client, session, signal });
  }

  update(kind, fields) {
    const update = { sessionUpdate: kind, ...fields };
    this.session.history.push(update);
    return this.client.notify(this.methods.client.session.update, { sessionId: this.session.id, update });
  }

  say(string) {
    return this.update("agent_message_chunk", { content: text(string) });
  }

  tool(toolCallId, fields) {
    return this.update("tool_call_update", { toolCallId, ...fields });
  }

  async askPermission(name) {
    const toolCallId = `call-${name}`;
    const call = { toolCallId, title: "Run `make`", kind: "execute", status: "pending", rawInput: { command: "make" } };
    await this.update("tool_call", call);
    const { outcome } = await this.client.request(this.methods.client.session.requestPermission, {
      sessionId: this.session.id,
      toolCall: call,
      options: OPTIONS,
    });
    if (outcome.outcome !== "selected") {
      await this.tool(toolCallId, { status: "failed" });
      throw new Cancelled();
    }
    const allowed = outcome.optionId !== "no";
    if (allowed) await this.tool(toolCallId, { status: "in_progress" });
    const made = { type: "diff", path: `${this.session.cwd}/a.txt`, oldText: null, newText: "made\n" };
    await this.tool(toolCallId, {
      status: allowed ? "completed" : "failed",
      content: [{ type: "content", content: text(allowed ? "made" : "refused") }, ...(allowed ? [made] : [])],
      rawOutput: { allowed },
    });
    await this.say(`permission:${outcome.optionId} `);
  }

  async elicit(fields) {
    const answer = await this.client.request(this.methods.client.elicitation.create, {
      sessionId: this.session.id,
      ...fields,
    });
    if (this.signal.aborted) throw new Cancelled();
    await this.say(`elicitation:${JSON.stringify(answer)} `);
  }

  async changeMode() {
    this.session.mode = "code";
    await this.update("current_mode_update", { currentModeId: "code" });
    await this.update("config_option_update", { configOptions: optionsOf(this.session) });
  }

  async useFiles() {
    const file = { sessionId: this.session.id, path: `${this.session.cwd}/made.txt` };
    await this.client.request(this.methods.client.fs.writeTextFile, { ...file, content: "one\ntwo\nthree\n" });
    const read = await this.client.request(this.methods.client.fs.readTextFile, { ...file, line: 2, limit: 1 });
    await this.say(`files:${JSON.stringify(read.content)} `);
  }

  async useTerminal() {
    const terminal = await this.client.createTerminal({
      sessionId: this.session.id,
      command: "/bin/sh",
      args: ["-c", "echo hi; exit 3"],
      cwd: this.session.cwd,
      outputByteLimit: 1000,
    });
    const content = [{ type: "terminal", terminalId: terminal.id }];
    await this.update("tool_call", { toolCallId: "t1", title: "echo", kind: "execute", status: "in_progress", content });
    const { exitCode } = await terminal.waitForExit();
    const { output } = await terminal.currentOutput();
    await terminal.release();
    await this.tool("t1", { status: "completed" });
    await this.say(`terminal:${exitCode}:${JSON.stringify(output)} `);
  }
}

function actionsOf(turn, RequestError) {
  return {
    plain: async () => {
      for (const piece of ["Hello ", "from ", "version 1. "]) await turn.say(piece);
    },
    think: () => turn.update("agent_thought_chunk", { content: text("hmm ") }),
    hold: async () => {
      await turn.say("holding ");
      await untilCancelled(turn.signal);
    },
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
    plan: () => turn.update("plan", { entries: PLAN }),
    usage: () => turn.update("usage_update", USAGE),
    commands: () =>
      turn.update("available_commands_update", {
        availableCommands: [{ name: "test", description: "Run tests", input: { hint: "arguments" } }],
      }),
    title: () => turn.update("session_info_update", { title: (turn.session.title = "New title") }),
    mode: () => turn.changeMode(),
    unknown: async () => {
      await turn.update("_peer_update", { x: 1 });
      await turn.update("hologram_update", { y: { z: 2 } });
      await turn.update("agent_message_chunk", { content: { type: "hologram", data: "?" }, futureField: true });
    },
    big: (kilobytes) => turn.say("x".repeat(1024 * Number(kilobytes))),
    extension: async () => turn.say(await tryExtensions(turn.client)),
    files: () => turn.useFiles(),
    terminal: () => turn.useTerminal(),
    error: () => {
      throw RequestError.internalError({ why: "asked" }, "boom");
    },
    refuse: () => "refusal",
  };
}

export function agentV1(sdk) {
  const { methods, RequestError } = sdk;
  const own = methods.agent;
  const find = (id) => sessions.find(id, RequestError);
  const running = new Map();
  let loggedIn = !process.env.NEED_AUTH;

  async function prompt(context) {
    const session = find(context.params.sessionId);
    const stop = new AbortController();
    running.set(session.id, stop);
    context.signal?.addEventListener("abort", () => stop.abort());
    const turn = new Turn(methods, context.client, session, stop.signal);
    for (const content of context.params.prompt) session.history.push({ sessionUpdate: "user_message_chunk", content });
    try {
      return { stopReason: await play(context.params.prompt, actionsOf(turn, RequestError), stop.signal) };
    } catch (error) {
      if (!(error instanceof Cancelled) && !stop.signal.aborted) throw error;
      await turn.say("(cancelled)");
      return { stopReason: "cancelled" };
    } finally {
      running.delete(session.id);
    }
  }

  return sdk
    .agent({ name: "npm-agent-v1" })
    .onRequest(own.initialize, () => ({
      protocolVersion: sdk.PROTOCOL_VERSION,
      agentInfo: { name: "npm-agent", title: "Agent on the npm SDK", version: "1.0.0" },
      agentCapabilities: CAPABILITIES,
      authMethods: [{ id: "token", name: "Token", description: "Only pretends" }],
    }))
    .onRequest(own.authenticate, ({ params }) => {
      if (params.methodId !== "token") throw RequestError.invalidParams({ methodId: params.methodId });
      loggedIn = true;
      return {};
    })
    .onRequest(own.session.new, ({ params }) => {
      if (!loggedIn) throw RequestError.authRequired();
      const session = sessions.open(params.cwd, { mode: "ask" });
      return { sessionId: session.id, ...stateOf(session) };
    })
    .onRequest(own.session.list, ({ params }) => ({ sessions: sessions.list(params?.cwd) }))
    .onRequest(own.session.load, async ({ params, client }) => {
      const session = find(params.sessionId);
      for (const update of session.history) {
        await client.notify(methods.client.session.update, { sessionId: session.id, update });
      }
      return stateOf(session);
    })
    .onRequest(own.session.resume, ({ params }) => stateOf(find(params.sessionId)))
    .onRequest(own.session.close, ({ params }) => {
      running.get(find(params.sessionId).id)?.abort();
      return {};
    })
    .onRequest(own.session.delete, ({ params }) => {
      sessions.delete(params.sessionId);
      return {};
    })
    .onRequest(own.session.setMode, async ({ params, client }) => {
      const session = find(params.sessionId);
      session.mode = params.modeId;
      const update = { sessionUpdate: "current_mode_update", currentModeId: session.mode };
      await client.notify(methods.client.session.update, { sessionId: session.id, update });
      return {};
    })
    .onRequest(own.session.setConfigOption, ({ params }) => {
      const session = find(params.sessionId);
      session[params.configId] = params.value;
      return { configOptions: optionsOf(session) };
    })
    .onRequest(own.session.prompt, prompt)
    .onNotification(own.session.cancel, ({ params }) => running.get(params.sessionId)?.abort());
}
