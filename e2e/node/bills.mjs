// Calls the models of the worked bills with the official OpenAI SDK for Node.js, one after the other, and writes the request ids
// in the same order: node bills.mjs CALLS.json IDS.json. The Go test that runs this file sets TOLLGATE_URL.
import { readFile, writeFile } from 'node:fs/promises';
import OpenAI from 'openai';

const [from, to] = process.argv.slice(2);
const clients = new Map();

// clientOf returns the client of a tenant's token.
function clientOf(apiKey) {
  if (!clients.has(apiKey)) clients.set(apiKey, new OpenAI({ baseURL: process.env.TOLLGATE_URL + '/v1', apiKey, maxRetries: 0 }));
  return clients.get(apiKey);
}

// begin sends a request and returns a promise of the answer or the stream.
function begin({ id, token, client, form, ask }) {
  const stream = form === 'stream';
  return client === 'chat'
    ? clientOf(token).chat.completions.create({ model: id, messages: [{ role: 'user', content: 'hello world' }], stream, ...ask })
    : clientOf(token).responses.create({ model: id, input: 'hello world', store: false, stream, ...ask });
}

// idOf makes one call and returns the request id. Only a call that fails by design may end with an error.
async function idOf(call) {
  let id;
  try {
    const { data, request_id } = await begin(call).withResponse();
    id = request_id;
    if (call.form === 'stream') for await (const _ of data);
  } catch (error) {
    if (!call.fails) throw new Error(`${call.id} (${call.name}), ${call.client}, ${call.form}: ${error}`, { cause: error });
    id ??= error.requestID;
  }
  return id;
}

const ids = [];
for (const call of JSON.parse(await readFile(from, 'utf8'))) ids.push(await idOf(call));
await writeFile(to, JSON.stringify(ids));
