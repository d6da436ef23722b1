// What both versions of the npm SDK's agent have in common: the words of a prompt, and what they are about.

export class Cancelled extends Error {}

// Plays the words of a prompt with a version's actions; resolves to the stop reason.
export async function play(prompt, actions, signal) {
  const words = prompt.map((block) => block.text ?? "").join(" ").trim().split(/\s+/);
  for (const word of words) {
    if (signal.aborted) throw new Cancelled();
    const [name, value] = word.split("=");
    const stopReason = await actions[name]?.(value);
    if (stopReason) return stopReason;
  }
  return "end_turn";
}

// Never resolves; rejects when the turn is cancelled.
export const untilCancelled = (signal) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(new Cancelled());
    signal.addEventListener("abort", () => reject(new Cancelled()), { once: true });
  });

// Waits for all of them, however they end, so that nothing is sent after the turn; then fails if one did.
export async function all(promises) {
  const ends = await Promise.allSettled(promises);
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
}

export const text = (string) => ({ type: "text", text: string });

export const OPTIONS = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "always", name: "Always allow", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

export const FORM = {
  type: "object",
  title: "Deploy",
  required: ["env"],
  properties: {
    env: {
      type: "string",
      title: "Environment",
      oneOf: [
        { const: "dev", title: "Development" },
        { const: "prod", title: "Production" },
      ],
    },
    count: { type: "integer", title: "Count", minimum: 1, maximum: 5, default: 1 },
    dry: { type: "boolean", title: "Dry run", default: true },
    tags: { type: "array", title: "Tags", items: { type: "string", enum: ["a", "b", "c"] } },
  },
};

export const PLAN = [
  { content: "Look", priority: "high", status: "completed" },
  { content: "Do", priority: "medium", status: "in_progress" },
  { content: "Check", priority: "low", status: "pending" },
];

export const USAGE = { used: 1200, size: 200000, cost: { amount: 0.01, currency: "USD" } };

export const MODELS = [
  { value: "m1", name: "Model 1" },
  { value: "m2", name: "Model 2" },
];

// The sessions of one version. They outlive a connection, so that a later one can load or resume them.
export class Sessions {
  #byId = new Map();

  open(cwd, fields) {
    const id = crypto.randomUUID();
    const session = { id, cwd, history: [], title: null, model: "m1", updatedAt: new Date().toISOString(), ...fields };
    this.#byId.set(id, session);
    return session;
  }

  find(id, RequestError) {
    const session = this.#byId.get(id);
    if (!session) throw RequestError.resourceNotFound(id);
    return session;
  }

  list(cwd) {
    const known = [...this.#byId.values()].filter((session) => !cwd || session.cwd === cwd);
    return known.map(({ id, cwd, title, updatedAt }) => ({ sessionId: id, cwd, title, updatedAt }));
  }

  delete(id) {
    this.#byId.delete(id);
  }
}

// What a client makes of requests and notifications that no version defines.
export async function tryExtensions(client) {
  let answer;
  try {
    answer = await client.request("_peer/ping", { n: 1 });
  } catch (error) {
    answer = { code: error.code };
  }
  await client.notify("_peer/note", { n: 2 });
  return `extension:${JSON.stringify(answer)} `;
}
