// A headless Chromium that does what it is told: one JSON command a line on stdin, one JSON answer a line on stdout.
// Started by browser.py with PLAYWRIGHT naming the folder of playwright-core and CHROMIUM the program.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const { chromium } = createRequire(process.env.PLAYWRIGHT + "/")("playwright-core");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
  ],
});
const requests = [];
const errors = [];
const tabs = [];
const users = {};

// Everybody has cookies of their own.
async function contextOf(user) {
  if (!users[user]) {
    users[user] = await browser.newContext({ viewport: { width: 900, height: 900 } });
    users[user].on("request", (request) => requests.push(request.url()));
    users[user].on("requestfailed", (request) => {
      // Told of, but never made: the page's policy forbade it.
      if (request.failure()?.errorText === "csp") requests.splice(requests.indexOf(request.url()), 1);
    });
    users[user].on("weberror", (error) => errors.push(String(error.error())));
  }
  return users[user];
}

const commands = {
  async open({ url, user }) {
    const tab = await (await contextOf(user)).newPage();
    tab.on("websocket", (socket) => requests.push(socket.url()));
    await tab.goto(url);
    return tabs.push(tab) - 1;
  },
  async reload({ tab }) { await tabs[tab].reload(); },
  async close({ tab }) { await tabs[tab].close(); },
  async click({ tab, label }) { await tabs[tab].getByRole("button", { name: label, exact: true }).last().click(); },
  async type({ tab, text }) {
    const field = tabs[tab].getByRole("textbox");
    await field.fill(text);
    await field.press("Enter");
  },
  // A click that comes while the page is still being put together may be lost.
  async toggle({ tab, label }) {
    const header = tabs[tab].getByRole("button", { name: label }).last();
    const before = await header.getAttribute("aria-expanded");
    do {
      await header.click();
      await tabs[tab].waitForTimeout(300);
    } while ((await header.getAttribute("aria-expanded")) === before);
  },
  async text({ tab }) { return await tabs[tab].locator("body").innerText(); },
  async buttons({ tab }) { return await tabs[tab].getByRole("button").allInnerTexts(); },
  async evaluate({ tab, code }) { return await tabs[tab].evaluate(code); },
  async screenshot({ tab, path }) { await tabs[tab].screenshot({ path }); },
  async requests() { return requests; },
  async errors() { return errors; },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...options } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await commands[command](options)) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
await browser.close();
