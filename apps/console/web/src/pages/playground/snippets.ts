import type { Language } from "@/components/snippets";

import type { ModelRequest } from "./request";

/** The environment variable from which the example code reads the token. The code never contains the token itself. */
const variable = "TOLLGATE_TOKEN";

/** Returns code that makes the call. `base` is the URL at which clients reach the relay, without /v1. */
export function snippet(language: Language, base: string, request: ModelRequest): string {
  const url = `${base.replace(/\/+$/, "")}/v1`;
  switch (language) {
    case "curl":
      return curl(url, request);
    case "python":
      return python(url, request);
    case "node":
      return node(url, request);
    case "go":
      return go(url, request);
  }
}

const pretty = (value: unknown) => JSON.stringify(value, null, 2);
const streams = ({ body }: ModelRequest) => body["stream"] === true;
const indent = (code: string, by: string) => code.replaceAll("\n", `\n${by}`);

function curl(url: string, { path, body }: ModelRequest): string {
  const quoted = pretty(body).replaceAll("'", `'"'"'`);
  return `curl ${"stream" in body ? "-N " : ""}${url}${path} \\
  -H "Authorization: Bearer $${variable}" \\
  -H "Content-Type: application/json" \\
  -d '${quoted}'`;
}

function python(url: string, request: ModelRequest): string {
  const chat = request.path === "/chat/completions";
  const args = Object.entries(request.body).map(([name, value]) => `    ${name}=${indent(pythonLiteral(value), "    ")},`);
  const call = `client.${chat ? "chat.completions" : "responses"}.create(\n${args.join("\n")}\n)`;
  const head = `import os\n\nfrom openai import OpenAI\n\nclient = OpenAI(base_url=${JSON.stringify(url)}, api_key=os.environ["${variable}"])\n\n`;
  if (!streams(request)) return `${head}answer = ${call}\nprint(answer.${chat ? "choices[0].message.content" : "output_text"})`;
  const print = chat
    ? `    if chunk.choices and chunk.choices[0].delta.content:\n        print(chunk.choices[0].delta.content, end="", flush=True)`
    : `    if chunk.type == "response.output_text.delta":\n        print(chunk.delta, end="", flush=True)`;
  return `${head}stream = ${call}\nfor chunk in stream:\n${print}`;
}

/** Returns a JSON value as a Python literal. JSON strings are valid Python strings. */
export function pythonLiteral(value: unknown, by = ""): string {
  const inner = `${by}    `;
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[\n${value.map((item) => `${inner}${pythonLiteral(item, inner)},\n`).join("")}${by}]`;
  if (typeof value === "object") {
    const entries = Object.entries(value);
    return entries.length === 0 ? "{}" : `{\n${entries.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${pythonLiteral(item, inner)},\n`).join("")}${by}}`;
  }
  return JSON.stringify(value);
}

function node(url: string, request: ModelRequest): string {
  const chat = request.path === "/chat/completions";
  const call = `await client.${chat ? "chat.completions" : "responses"}.create(${pretty(request.body)})`;
  const head = `import OpenAI from "openai";\n\nconst client = new OpenAI({ baseURL: ${JSON.stringify(url)}, apiKey: process.env.${variable} });\n\n`;
  if (!streams(request)) return `${head}const answer = ${call};\nconsole.log(answer.${chat ? "choices[0].message.content" : "output_text"});`;
  const print = chat ? `process.stdout.write(chunk.choices[0]?.delta?.content ?? "");` : `if (chunk.type === "response.output_text.delta") process.stdout.write(chunk.delta);`;
  return `${head}const stream = ${call};\nfor await (const chunk of stream) {\n  ${print}\n}`;
}

function go(url: string, { path, body }: ModelRequest): string {
  const literal = pretty(body).split("`").join('` + "`" + `');
  return `package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

const body = \`${literal}\`

func main() {
	request, err := http.NewRequest(http.MethodPost, ${JSON.stringify(url + path)}, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("${variable}"))
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(os.Stdout, answer.Body); err != nil {
		log.Fatal(err)
	}
}`;
}
