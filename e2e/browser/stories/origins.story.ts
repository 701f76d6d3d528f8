import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

import type { OpenAI as Client } from "openai";

import { startGateway } from "../kit/gateway.ts";
import { expect, test as base } from "../kit/test.ts";

declare global {
  interface Window {
    /** OpenAI's SDK. The page has set it when it has loaded. */
    OpenAI?: typeof Client;
  }
}

/** The folder of the SDK, with a slash at its end. */
const sdk = fileURLToPath(new URL("../node_modules/openai/", import.meta.url));

/** A page of another origin than the relay's. It loads OpenAI's SDK as published, from its own origin. */
const html = `<!doctype html><title>A page of another origin</title>
<script type="module">import { OpenAI } from "/openai/index.mjs"; window.OpenAI = OpenAI;</script>`;

/** A test with the address of a server that has that page. */
const test = base.extend<{ elsewhere: string }>({
  elsewhere: async ({}, use) => {
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? "/", "http://unused").pathname;
      const file = resolve(sdk, `.${path.slice("/openai".length)}`);
      if (path === "/") {
        response.setHeader("content-type", "text/html").end(html);
      } else if (path.startsWith("/openai/") && path.endsWith(".mjs") && file.startsWith(sdk)) {
        response.setHeader("content-type", "text/javascript");
        createReadStream(file)
          .on("error", () => response.writeHead(404).end())
          .pipe(response);
      } else {
        response.writeHead(path === "/favicon.ico" ? 204 : 404).end();
      }
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  },
});

test("a page of another origin calls the relay with OpenAI's SDK", async ({
  page,
  gateway,
  elsewhere,
  browserErrors,
}) => {
  browserErrors.expect(/\/chat\/completions: .* 401 /); // the call with an unknown token
  await page.goto(elsewhere);
  await page.waitForFunction(() => window.OpenAI !== undefined);
  const seen = await page.evaluate(
    async ({ relay, token }) => {
      const OpenAI = window.OpenAI;
      if (!OpenAI) throw new Error("the SDK is not loaded");
      const client = new OpenAI({ baseURL: relay, apiKey: token, dangerouslyAllowBrowser: true, maxRetries: 0 });
      const call = { model: "echo-1", messages: [{ role: "user" as const, content: "Hello from a page" }] };
      const answer = await client.chat.completions
        .create(call, { headers: { "x-tollgate-tag-team": "pages", "x-tollgate-include-quota": "true" } })
        .withResponse();
      let streamed = "";
      const stream = await client.chat.completions.create({ ...call, stream: true });
      for await (const chunk of stream) streamed += chunk.choices[0]?.delta.content ?? "";
      const refused = await new OpenAI({
        baseURL: relay,
        apiKey: "nobody",
        dangerouslyAllowBrowser: true,
        maxRetries: 0,
      }).chat.completions
        .create(call)
        .then(
          () => undefined,
          (error: unknown) =>
            error instanceof OpenAI.APIError
              ? { status: error.status, code: error.code, id: error.requestID }
              : { status: 0, code: String(error), id: "" },
        );
      const document = (await (await fetch(`${relay}/openapi.json`)).json()) as { openapi: string };
      return {
        text: answer.data.choices[0]?.message.content,
        headers: Object.fromEntries(
          ["x-request-id", "x-tollgate-channel", "x-tollgate-quota", "x-tollgate-quota-remaining"].map((name) => [
            name,
            answer.response.headers.get(name),
          ]),
        ),
        models: (await client.models.list()).data.length,
        streamed,
        refused,
        openapi: document.openapi,
      };
    },
    { relay: gateway.relay, token: gateway.token },
  );
  expect(seen.text).toContain("Hello from a page");
  expect(seen.streamed).toContain("Hello from a page");
  for (const [name, value] of Object.entries(seen.headers)) expect(value, name).toBeTruthy();
  expect(seen.models).toBeGreaterThan(0);
  expect(seen.refused).toMatchObject({ status: 401, code: "invalid_api_key" });
  expect(seen.refused?.id, "the id of the refused request").toBeTruthy();
  expect(seen.openapi).toMatch(/^3\.1\./);
});

test("a page of an origin that is not listed cannot call the relay", async ({ page, elsewhere, browserErrors }) => {
  browserErrors.expect(/./); // the browser reports each refused call
  const gateway = await startGateway({ TOLLGATE_CORS_ORIGINS: "https://app.example.com" });
  try {
    await page.goto(elsewhere);
    const outcomes = await page.evaluate(
      async ({ relay, token }) => {
        const headers = { authorization: `Bearer ${token}` };
        const outcome = (call: Promise<Response>) =>
          call.then(
            (response) => String(response.status),
            (error: Error) => error.name,
          );
        return [await outcome(fetch(`${relay}/models`, { headers })), await outcome(fetch(`${relay}/models`))];
      },
      { relay: gateway.relay, token: gateway.token },
    );
    expect(outcomes).toEqual(["TypeError", "TypeError"]);
  } finally {
    await gateway.close();
  }
});
