import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { type Api, ask, expectOk } from "./api.ts";
import { unique } from "./test.ts";

/** An upstream, and a model that it serves. */
export interface Upstream {
  model: string;
  /** The bodies of the requests, in order. */
  bodies: Record<string, unknown>[];
  close: () => Promise<void>;
}

/** Returns a frame of a chat completions stream. */
export const frame = (delta: object, finish: string | null = null, usage?: object) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "upstream", choices: [{ index: 0, delta, finish_reason: finish }], ...(usage && { usage }) })}\n\n`;

/** Starts an upstream that answers with `answer`, with a model that costs 0.25 USD for each request. */
export async function startUpstream(
  operator: Api,
  name: string,
  answer: (response: ServerResponse, body: Record<string, unknown>) => void,
): Promise<Upstream> {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (chunks.length === 0) return response.end(`{"object":"list","data":[]}`); // a probe, which lists models
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      bodies.push(body);
      response.writeHead(200, { "content-type": "text/event-stream" });
      answer(response, body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const model = unique(name);
  await expectOk(
    operator.POST("/api/operator/models", {
      body: {
        id: model,
        owned_by: "tollgate",
        price: { request: "0.25" },
        status: "enabled",
        free: false,
        routing: "weighted",
      },
    }),
  );
  const { port } = server.address() as AddressInfo;
  await ask(
    operator.POST("/api/operator/channels", {
      body: {
        name: model,
        type: "openai",
        base_url: `http://127.0.0.1:${port}/v1`,
        api_keys: ["sk-upstream"],
        dialects: ["chat"],
        models: { [model]: "upstream" },
        priority: 0,
        weight: 1,
        status: "enabled",
        on_disconnect: "cancel",
        unpriced: "refuse",
      },
    }),
  );
  const close = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
  return { model, bodies, close };
}

/** Starts an upstream whose answers begin and never end. */
export const startSlowUpstream = (operator: Api) =>
  startUpstream(operator, "slow", (response) => {
    response.write(frame({ role: "assistant", content: "" }));
    for (const word of ["Once ", "upon ", "a ", "time "]) response.write(frame({ content: word }));
  });

/**
 * Starts an upstream that reasons, and then answers as the request wants it: with a call of the first function, with
 * its result, with JSON, or with code.
 */
export const startCleverUpstream = (operator: Api) =>
  startUpstream(operator, "clever", (response, body) => {
    const messages = body["messages"] as { role: string; content: unknown }[];
    const last = messages.at(-1);
    response.write(frame({ role: "assistant", content: "", reasoning_content: "Let me think." }));
    if (body["tools"] && last?.role !== "tool") {
      response.write(
        frame({
          tool_calls: [
            {
              index: 0,
              id: "call_1",
              type: "function",
              function: { name: "get_weather", arguments: '{"city":"Bonn"}' },
            },
          ],
        }),
      );
    } else response.write(frame({ content: answerTo(body, last) }));
    response.write(frame({}, body["tools"] && last?.role !== "tool" ? "tool_calls" : "stop"));
    response.end(
      `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "upstream", choices: [], usage: { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 } })}\n\ndata: [DONE]\n\n`,
    );
  });

function answerTo(body: Record<string, unknown>, last: { role: string; content: unknown } | undefined): string {
  if (last?.role === "tool") return `The function says ${String(last.content)}.`;
  if (body["response_format"]) return '{"title":"Gateways","tags":["api"]}';
  const images = Array.isArray(last?.content)
    ? last.content.filter((part: { type: string }) => part.type === "image_url").length
    : 0;
  return images > 0 ? `I see ${images} image.` : 'Run this:\n\n```go\nfunc main() {\n\tprintln("hello")\n}\n```\n';
}
