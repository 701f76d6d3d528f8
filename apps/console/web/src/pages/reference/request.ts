import type { Language } from "@/components/snippets";
import { parse } from "@/pages/playground/json";
import type { ModelRequest } from "@/pages/playground/request";
import { snippet } from "@/pages/playground/snippets";

import type { Endpoint, Parameter } from "./openapi";

/** A call that the reader has put together. */
export interface Call {
  method: string;
  /** With the values of its parameters, and with the relay's address. */
  url: string;
  headers: Record<string, string>;
  /** JSON; undefined if the operation has no body. */
  body: string | undefined;
}

interface Parts {
  endpoint: Endpoint;
  parameters: Parameter[];
  /** The values of the parameters by name. Empty ones are not sent. */
  values: Record<string, string>;
  body: string | undefined;
}

/**
 * Puts the call together. `base` is the relay's address without /v1. A path parameter without a value stays as it is.
 */
export function callOf(base: string, { endpoint, parameters, values, body }: Parts): Call {
  let path = endpoint.path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const { name, in: place, schema } of parameters) {
    const value = values[name];
    if (!value) continue;
    if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === "header") headers[name] = value;
    else if (schema?.type === "array") for (const one of value.split(",")) query.append(name, one.trim());
    else query.append(name, value);
  }
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const search = query.toString();
  return { method: endpoint.method, url: `${base.replace(/\/+$/, "")}${path}${search && `?${search}`}`, headers, body };
}

/** The environment variable from which the code reads the token. The code never contains the token itself. */
const variable = "TOLLGATE_TOKEN";

/** Returns code that makes the call: with OpenAI's SDK in Python and Node for calls of models, otherwise with HTTP. */
export function codeOf(language: Language, call: Call): string {
  const model = language === "python" || language === "node" ? modelCall(call) : undefined;
  return model ? snippet(language, model.base, model.request) : { curl, python, node, go }[language](call);
}

/** Returns a call of a model in the form of the playground; undefined for other calls. */
function modelCall({ method, url, body }: Call): { base: string; request: ModelRequest } | undefined {
  const [, base, path] = /^(.*)\/v1(\/chat\/completions|\/responses)$/.exec(url) ?? [];
  if (method !== "POST" || base === undefined || body === undefined) return undefined;
  const fields = parse(body);
  return isRecord(fields) ? { base, request: { path: path as ModelRequest["path"], body: fields } } : undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const shell = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;
const quoted = (value: string) => JSON.stringify(value);

function curl({ method, url, headers, body }: Call): string {
  const lines = [`curl -N -X ${method} ${shell(url)}`, `-H "Authorization: Bearer $${variable}"`];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shell(`${name}: ${value}`)}`);
  if (body !== undefined) lines.push(`-d ${shell(body)}`);
  return lines.join(" \\\n  ");
}

function python({ method, url, headers, body }: Call): string {
  const fields = Object.entries(headers)
    .map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},\n`)
    .join("");
  const data = body === undefined ? "" : `\nbody = r'''${body.replaceAll("'''", "\\u0027\\u0027\\u0027")}'''\n`;
  return `import os

import requests

headers = {
    "Authorization": f"Bearer {os.environ['${variable}']}",
${fields}}
${data}
with requests.request(${quoted(method)}, ${quoted(url)}, headers=headers${body === undefined ? "" : ", data=body.encode()"}, stream=True) as answer:
    print(answer.status_code)
    for part in answer.iter_lines(decode_unicode=True):
        print(part)`;
}

function node({ method, url, headers, body }: Call): string {
  const fields = Object.entries(headers)
    .map(([name, value]) => `\n    ${quoted(name)}: ${quoted(value)},`)
    .join("");
  const data = body === undefined ? "" : `\n  body: JSON.stringify(${indented(body, "  ")}),`;
  return `const answer = await fetch(${quoted(url)}, {
  method: ${quoted(method)},
  headers: {
    Authorization: \`Bearer \${process.env.${variable}}\`,${fields}
  },${data}
});
console.log(answer.status);
for await (const part of answer.body.pipeThrough(new TextDecoderStream())) process.stdout.write(part);`;
}

const indented = (text: string, by: string) => text.replaceAll("\n", `\n${by}`);

function go({ method, url, headers, body }: Call): string {
  const fields = Object.entries(headers)
    .map(([name, value]) => `\trequest.Header.Set(${quoted(name)}, ${quoted(value)})\n`)
    .join("");
  const reader = body === undefined ? "http.NoBody" : `strings.NewReader(\`${body.replaceAll("`", '` + "`" + `')}\`)`;
  return `package main

import (
	"io"
	"log"
	"net/http"
	"os"${body === undefined ? "" : '\n\t"strings"'}
)

func main() {
	request, err := http.NewRequest(${quoted(method)}, ${quoted(url)}, ${reader})
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("${variable}"))
${fields}	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	log.Print(answer.Status)
	if _, err := io.Copy(os.Stdout, answer.Body); err != nil {
		log.Fatal(err)
	}
}`;
}
