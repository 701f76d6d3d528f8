// Asks about an image, with a function that the model may call, reasoning and structured output, and prints the stream.
import { createRelay, type Schema, streamResponse } from "@tollgate/client/relay";

const given = (name: string): string => process.env[name] ?? "";

const relay = createRelay({ url: given("RELAY_URL"), token: given("TOKEN") });
const city = { type: "object", properties: { name: { type: "string" } }, required: ["name"], additionalProperties: false };
const input: Schema<"ResponseInputList"> = [
  {
    type: "message",
    role: "user",
    content: [
      { type: "input_text", text: "Which city is this?" },
      { type: "input_image", image_url: "https://example.com/city.png", detail: "low" },
    ],
  },
];
const ask: Schema<"ResponseRequest"> = {
  model: given("MODEL"),
  input,
  reasoning: { effort: "low", summary: "auto" },
  tools: [{ type: "function", name: "inhabitants", description: "Counts the people of a city", parameters: city, strict: true }],
  text: { format: { type: "json_schema", name: "city", schema: city, strict: true } },
};
for await (const event of streamResponse(relay, ask)) {
  if (event.type === "response.reasoning_summary_text.done") console.log("reasoning:", event.text);
  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);
  if (event.type !== "response.output_item.done") continue;
  input.push(event.item); // the next request repeats what the model generated
  if (event.item.type === "function_call") {
    console.log("call:", event.item.name, event.item.arguments);
    input.push({ type: "function_call_output", call_id: event.item.call_id, output: "545,000" });
  }
}
console.log(input.length, "items for the next request");
