// Calls a relay with the client that hey-api has made of the relay's OpenAPI document: a chat with an image, a response, and a call
// that is refused. Its arguments are the relay's URL and a token.
import { createClient } from './client/client/index.js';
import { createChatCompletion, createResponse, type ChatCompletionRequest } from './client/index.js';

declare const process: { argv: string[] };

const [, , baseUrl, auth] = process.argv;
const client = createClient({ baseUrl, auth });

function must(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

// question asks a model about an image.
const question = (model: string): ChatCompletionRequest => ({
  model,
  messages: [{
    role: 'user',
    content: [{ type: 'text', text: 'What is this?' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
  }],
});

const chat = await createChatCompletion({ client, body: question('gpt-4o-mini') });
must(chat.data?.choices[0]?.message.content, `chat: got ${JSON.stringify(chat.error)}`);

const response = await createResponse({ client, body: { model: 'gpt-4o-mini', input: 'Hello' } });
const item = response.data?.output[0];
must(item?.type === 'message', `response: got ${JSON.stringify(response.error)}`);
const part = item.content[0];
must(part?.type === 'output_text' && part.text !== '', `response: got ${JSON.stringify(item)}`);

const refused = await createChatCompletion({ client, body: question('unknown') });
must(refused.response?.status === 404 && refused.error?.error.message, `refused chat: got ${refused.response?.status}`);
