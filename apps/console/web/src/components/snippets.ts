/** The programming languages for which the console shows example calls. */
export const languages = ["curl", "python", "node", "go"] as const;
export type Language = (typeof languages)[number];

// Not translated: names of programming languages.
export const languageNames: Record<Language, string> = { curl: "curl", python: "Python", node: "Node", go: "Go" };

/** The values that the example code contains. */
export interface Call {
  /** The base URL, which ends in /v1. */
  base: string;
  token: string;
  model: string;
}

/** The command that installs the packages of the example; empty for curl. */
export const installs: Record<Language, string> = {
  curl: "",
  python: "pip install openai", // not translated: a command
  node: "npm install openai", // not translated: a command
  go: "go get github.com/openai/openai-go/v3", // not translated: a command
};

const quoted = (value: string) => JSON.stringify(value);

/** Quotes a text for a POSIX shell in single quotes. */
const shell = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;

/** Returns the code of a first call in the language. The values are quoted, so the code runs as it is. */
export function snippet(language: Language, call: Call): string {
  return { curl, python, node, go }[language](call);
}

function curl({ base, token, model }: Call): string {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] }); // not translated: code
  return `curl ${base}/chat/completions \\
  -H ${shell(`Authorization: Bearer ${token}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${shell(body)}`;
}

function python({ base, token, model }: Call): string {
  return `from openai import OpenAI

client = OpenAI(
    base_url=${quoted(base)},
    api_key=${quoted(token)},
)

completion = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": "Hello!"}],
)
print(completion.choices[0].message.content)`;
}

function node({ base, token, model }: Call): string {
  return `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: ${quoted(base)},
  apiKey: ${quoted(token)},
});

const completion = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: "user", content: "Hello!" }],
});
console.log(completion.choices[0].message.content);`;
}

function go({ base, token, model }: Call): string {
  return `package main

import (
	"context"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	client := openai.NewClient(
		option.WithBaseURL(${quoted(base)}),
		option.WithAPIKey(${quoted(token)}),
	)
	completion, err := client.Chat.Completions.New(context.Background(), openai.ChatCompletionNewParams{
		Model:    ${quoted(model)},
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello!")},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(completion.Choices[0].Message.Content)
}`;
}
