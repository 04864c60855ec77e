/**
 * Headless Chromium and the server of its pages. A page imports dist/ as it is, runs one script, and posts what the
 * script found back to the server: nothing is evaluated from outside, so that it works under any content security policy.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, extname, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const root = join(import.meta.dirname, "../..");

/** $CHROME, or the first Chromium or Chrome on the path; undefined where there is none. */
export function browserPath(): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin"];
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [process.env.CHROME ?? "", ...candidates].find((path) => path !== "" && existsSync(path));
}

const launchArguments = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const contentTypes: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
};

export class Pages {
  readonly #browser: Browser;
  readonly #server: Server;
  /** What is served beside dist/, by path. */
  readonly #files = new Map<string, string>();
  #policy: string | undefined;
  #posted: (body: string) => void = () => {};

  private constructor(browser: Browser, server: Server) {
    this.#browser = browser;
    this.#server = server;
  }

  static async open(executable: string, files: Record<string, string>): Promise<Pages> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const browser = await chromium.launch({ executablePath: executable, args: launchArguments });
    const pages = new Pages(browser, server);
    for (const [path, text] of Object.entries(files)) pages.#files.set(path, text);
    server.on("request", (request, response) => {
      if (request.method === "POST") {
        let body = "";
        request.on("data", (chunk) => {
          body += chunk;
        });
        request.on("end", () => {
          response.end();
          pages.#posted(body);
        });
        return;
      }
      const path = new URL(request.url ?? "/", "http://localhost").pathname;
      const content = pages.#content(path);
      if (content === undefined) response.statusCode = 404;
      response.setHeader("Content-Type", contentTypes[extname(path)] ?? "text/plain");
      if (pages.#policy !== undefined) response.setHeader("Content-Security-Policy", pages.#policy);
      response.end(content);
    });
    return pages;
  }

  /**
   * Runs a function body in a fresh page; what it returns, or `{ error }` with the message of what it throws.
   *
   * @param policy the page's content security policy, if it is to have one
   */
  async run(body: string, policy?: string): Promise<unknown> {
    this.#policy = policy;
    this.#files.set(
      "/page.html",
      '<!doctype html><meta charset="utf-8"><script type="module" src="/page.js"></script>',
    );
    this.#files.set(
      "/page.js",
      `const report = (value) => fetch("/report", { method: "POST", body: JSON.stringify(value) });
      const run = async () => { ${body} };
      run().then(report, (error) => report({ error: error.message }));`,
    );
    const page = await this.#browser.newPage();
    try {
      const result = new Promise<string>((resolve, reject) => {
        this.#posted = resolve;
        page.on("pageerror", reject);
        page.on("crash", () => reject(new Error("The page crashed.")));
      });
      const { port } = this.#server.address() as AddressInfo;
      await page.goto(`http://127.0.0.1:${port}/page.html`);
      return JSON.parse(await result);
    } finally {
      await page.close();
    }
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#server.close();
  }

  #content(path: string): string | Buffer | undefined {
    const text = this.#files.get(path);
    if (text !== undefined) return text;
    const file = join(root, path);
    return path.startsWith("/dist/") && existsSync(file) && statSync(file).isFile()
      ? readFileSync(file)
      : undefined;
  }
}
