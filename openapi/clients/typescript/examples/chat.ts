import { createConsole } from "@tollgate/client/console";
import { createRelay, type Schema, streamChat } from "@tollgate/client/relay";

const given = (name: string): string => process.env[name] ?? "";

const admin = createConsole({ url: given("CONSOLE_URL"), accessKey: given("ACCESS_KEY") });
const { data: token, error } = await admin.POST("/api/tokens", { body: { name: "example" } });
if (!token) throw new Error(error.detail);

const relay = createRelay({ url: given("RELAY_URL"), token: token.value });
const ask: Schema<"ChatCompletionRequest"> = { model: given("MODEL"), messages: [{ role: "user", content: "Hello" }] };
for await (const chunk of streamChat(relay, ask)) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? "");
}
