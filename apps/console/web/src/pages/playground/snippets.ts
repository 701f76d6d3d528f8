import type { Language } from "@/components/snippets";

import { filesIn, json, literal, type Style } from "./literal";
import type { ModelRequest } from "./request";

/** The environment variable from which the example code reads the token. The code never contains the token itself. */
const variable = "TOLLGATE_TOKEN";

/**
 * Returns code that makes the call. `base` is the URL at which clients reach the relay, without /v1. A FileContent in
 * the request stands for a file that the code reads.
 */
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

const streams = ({ body }: ModelRequest) => body["stream"] === true;
const hasTools = ({ body }: ModelRequest) => "tools" in body;
const hasFiles = ({ body }: ModelRequest) => filesIn(body).length > 0;
const hasURLs = ({ body }: ModelRequest) => filesIn(body).some(({ bare }) => !bare);
const isChat = ({ path }: ModelRequest) => path === "/chat/completions";

/** Quotes a text for a POSIX shell. */
const shell = (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`;

/** JSON within a here document, in which the shell replaces $, ` and \. */
const hereDocument: Style = {
  ...json,
  string: (text) => JSON.stringify(text).replaceAll(/[\\$`]/g, String.raw`\$&`),
  file: ({ name, type, bare }) => `"${bare ? "" : `data:${type};base64,`}$(base64 < ${shell(name)} | tr -d '\\n')"`,
};

function curl(url: string, request: ModelRequest): string {
  const { path, body } = request;
  const head = `curl ${"stream" in body ? "-N " : ""}${url}${path} \\
  -H "Authorization: Bearer $${variable}" \\
  -H "Content-Type: application/json" \\`;
  // An argument cannot be as long as a file.
  return hasFiles(request)
    ? `${head}\n  -d @- <<BODY\n${literal(body, hereDocument)}\nBODY`
    : `${head}\n  -d ${shell(literal(body, json))}`;
}

const pythonStyle: Style = {
  null: "None", // not translated: Python
  true: "True", // not translated: Python
  false: "False", // not translated: Python
  indent: "    ",
  comma: true,
  string: (text) => JSON.stringify(text), // JSON strings are valid Python strings
  file: ({ name, type, bare }) =>
    bare ? `content(${JSON.stringify(name)})` : `data_url(${JSON.stringify(name)}, ${JSON.stringify(type)})`,
};

/** Returns a JSON value as a Python literal. */
export const pythonLiteral = (value: unknown, by = ""): string => literal(value, pythonStyle, by);

function python(url: string, request: ModelRequest): string {
  const chat = isChat(request);
  const args = Object.entries(request.body).map(([name, value]) => `    ${name}=${pythonLiteral(value, "    ")},`);
  const call = `client.${chat ? "chat.completions" : "responses"}.create(\n${args.join("\n")}\n)`;
  const files = hasFiles(request);
  const reader = `\ndef content(path):\n    with open(path, "rb") as file:\n        return base64.b64encode(file.read()).decode()\n\n${hasURLs(request) ? `\ndef data_url(path, media_type):\n    return f"data:{media_type};base64,{content(path)}"\n\n` : ""}`;
  const base64 = files ? "import base64\n" : ""; // not translated: Python
  const head = `${base64}import os\n\nfrom openai import OpenAI\n\nclient = OpenAI(base_url=${JSON.stringify(url)}, api_key=os.environ["${variable}"])\n\n${files ? `${reader}\n` : ""}`;
  if (!streams(request)) return `${head}answer = ${call}\n${pythonResult(request)}`;
  return `${head}stream = ${call}\n${pythonStream(request)}`;
}

function pythonResult(request: ModelRequest): string {
  if (!isChat(request))
    return `print(answer.output_text)${hasTools(request) ? `\nfor item in answer.output:\n    if item.type == "function_call":\n        print(item.name, item.arguments)` : ""}`;
  const calls =
    // Not translated: Python.
    "\nfor call in answer.choices[0].message.tool_calls or []:\n    print(call.function.name, call.function.arguments)";
  return `print(answer.choices[0].message.content)${hasTools(request) ? calls : ""}`;
}

function pythonStream(request: ModelRequest): string {
  if (!isChat(request)) {
    const calls = `\n    if chunk.type == "response.output_item.done" and chunk.item.type == "function_call":\n        print(chunk.item.name, chunk.item.arguments)`;
    return `for chunk in stream:\n    if chunk.type == "response.output_text.delta":\n        print(chunk.delta, end="", flush=True)${hasTools(request) ? calls : ""}`;
  }
  if (!hasTools(request))
    return `for chunk in stream:\n    if chunk.choices and chunk.choices[0].delta.content:\n        print(chunk.choices[0].delta.content, end="", flush=True)`;
  return `for chunk in stream:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="", flush=True)
        for call in choice.delta.tool_calls or []:
            print(call.function.name or "", call.function.arguments or "", end="", flush=True)`;
}

const nodeStyle: Style = {
  ...json,
  file: ({ name, type, bare }) =>
    bare
      ? `readFileSync(${JSON.stringify(name)}, "base64")`
      : `dataUrl(${JSON.stringify(name)}, ${JSON.stringify(type)})`,
};

function node(url: string, request: ModelRequest): string {
  const chat = isChat(request);
  const files = hasFiles(request);
  const call = `await client.${chat ? "chat.completions" : "responses"}.create(${literal(request.body, nodeStyle)})`;
  const reader = `const dataUrl = (path, type) => \`data:\${type};base64,\${readFileSync(path, "base64")}\`;\n\n`;
  const head = `${files ? `import { readFileSync } from "node:fs";\n\n` : ""}import OpenAI from "openai";\n\nconst client = new OpenAI({ baseURL: ${JSON.stringify(url)}, apiKey: process.env.${variable} });\n\n${hasURLs(request) ? reader : ""}`;
  return streams(request)
    ? `${head}const stream = ${call};\nfor await (const chunk of stream) {\n${nodeStream(request)}\n}`
    : `${head}const answer = ${call};\n${nodeResult(request)}`;
}

function nodeResult(request: ModelRequest): string {
  if (!isChat(request))
    return `console.log(answer.output_text);${hasTools(request) ? `\nfor (const item of answer.output) if (item.type === "function_call") console.log(item.name, item.arguments);` : ""}`;
  return `console.log(answer.choices[0].message.content);${hasTools(request) ? "\nfor (const call of answer.choices[0].message.tool_calls ?? []) console.log(call.function.name, call.function.arguments);" : ""}`;
}

function nodeStream(request: ModelRequest): string {
  if (isChat(request)) {
    const calls = `\n  for (const call of chunk.choices[0]?.delta?.tool_calls ?? []) process.stdout.write(\`\${call.function?.name ?? ""} \${call.function?.arguments ?? ""}\`);`;
    return `  process.stdout.write(chunk.choices[0]?.delta?.content ?? "");${hasTools(request) ? calls : ""}`;
  }
  const calls = `\n  if (chunk.type === "response.output_item.done" && chunk.item.type === "function_call") console.log(chunk.item.name, chunk.item.arguments);`;
  return `  if (chunk.type === "response.output_text.delta") process.stdout.write(chunk.delta);${hasTools(request) ? calls : ""}`;
}

/** JSON within a raw string of Go, which cannot contain a backquote. */
const goStyle: Style = {
  ...json,
  string: (text) => JSON.stringify(text).split("`").join('` + "`" + `'),
  file: ({ name, type, bare }) =>
    bare
      ? `"\` + content(${JSON.stringify(name)}) + \`"`
      : `"\` + dataURL(${JSON.stringify(name)}, ${JSON.stringify(type)}) + \`"`,
};

/** The names of openai-go for an API. */
const goNames = {
  "/chat/completions": { service: "Chat.Completions", params: "openai.ChatCompletionNewParams", package: "" },
  "/responses": {
    service: "Responses",
    params: "responses.ResponseNewParams",
    package: `\n\t"github.com/openai/openai-go/v3/responses"`,
  },
}; // not translated: Go

/**
 * The parameters are JSON, not the types of openai-go: these have no field for some parameters of other providers, and
 * a conversation with images and functions would take pages.
 */
function go(url: string, request: ModelRequest): string {
  const { path, body } = request;
  const names = goNames[path];
  const files = hasFiles(request);
  const { stream: _, ...parameters } = body; // NewStreaming sets it
  const imports = ["context", ...(files ? ["encoding/base64"] : []), "encoding/json", "fmt", "os"]
    .map((name) => `\t"${name}"\n`)
    .join("");
  const urls = `

// dataURL returns the content of a file as a data URL.
func dataURL(path, mediaType string) string {
	return "data:" + mediaType + ";base64," + content(path)
}`;
  const reader = `

// content returns the content of a file in base64.
func content(path string) string {
	bytes, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(bytes)
}${hasURLs(request) ? urls : ""}`;
  return `package main

import (
${imports}
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"${names.package}
)

func main() {
	client := openai.NewClient(option.WithBaseURL(${JSON.stringify(url)}), option.WithAPIKey(os.Getenv("${variable}")))
	body := json.RawMessage(\`${literal(parameters, goStyle)}\`)
	params := param.Override[${names.params}](body)
${streams(request) ? goStream(request, names.service) : goResult(request, names.service)}
}${files ? reader : ""}`;
}

function goResult(request: ModelRequest, service: string): string {
  const calls = isChat(request)
    ? "\n\tfor _, call := range answer.Choices[0].Message.ToolCalls {\n\t\tfmt.Println(call.Function.Name, call.Function.Arguments)\n\t}"
    : `\n\tfor _, item := range answer.Output {\n\t\tif item.Type == "function_call" {\n\t\t\tfmt.Println(item.Name, item.Arguments.OfString)\n\t\t}\n\t}`;
  return `	answer, err := client.${service}.New(context.Background(), params)
	if err != nil {
		panic(err)
	}
	fmt.Println(${isChat(request) ? "answer.Choices[0].Message.Content" : "answer.OutputText()"})${hasTools(request) ? calls : ""}`;
}

function goStream(request: ModelRequest, service: string): string {
  return `	stream := client.${service}.NewStreaming(context.Background(), params)
	for stream.Next() {
${isChat(request) ? goChatChunk(request) : goResponsesEvent(request)}
	}
	if err := stream.Err(); err != nil {
		panic(err)
	}`;
}

function goChatChunk(request: ModelRequest): string {
  const calls =
    "\n\t\t\tfor _, call := range choice.Delta.ToolCalls {\n\t\t\t\tfmt.Print(call.Function.Name, call.Function.Arguments)\n\t\t\t}";
  return `		for _, choice := range stream.Current().Choices {
			fmt.Print(choice.Delta.Content)${hasTools(request) ? calls : ""}
		}`;
}

function goResponsesEvent(request: ModelRequest): string {
  const calls = `\n\t\tif event.Type == "response.output_item.done" && event.Item.Type == "function_call" {\n\t\t\tfmt.Println(event.Item.Name, event.Item.Arguments.OfString)\n\t\t}`;
  return `		event := stream.Current()
		if event.Type == "response.output_text.delta" {
			fmt.Print(event.Delta)
		}${hasTools(request) ? calls : ""}`;
}
