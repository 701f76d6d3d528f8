// Checks the relay's recorded answers to the client libraries against OpenAI's own types, and the order of
// events in streams that clients rely on.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { faults } from './schema.mjs';
import { native, channels } from './channels.mjs';

const exchanges = readFileSync(process.env.EXCHANGES, 'utf8').trim().split('\n').map(JSON.parse);
const dialects = { '/v1/chat/completions': 'chat', '/v1/responses': 'responses' };
const terminal = new Set(['response.completed', 'response.incomplete', 'response.failed']);

// The simulator omits some required fields from its responses. On channels that speak the responses dialect the
// relay forwards them unchanged. The fields that are present must still be right.
const omitted = (fault) => fault.includes(': required: ');

// OpenAI sends null in these fields when they have no value, as its examples show, but its types don't allow
// null.
const nullable = (fault) => /(Body|response)\/(usage|user): type: must be \w+ {2}: null$/.test(fault);

// The relay reports upstream errors with its own codes, which OpenAI's types don't list.
const ownErrors = (fault) => /^ResponseFailedEvent\/response\/error/.test(fault);

// The SDK adds this property to a response; its types require it, but it is never sent.
const addedBySDK = (fault) => fault.includes("required property 'output_text'");

// check returns the differences between a value and a type, without the accepted ones above.
function check(type, value, { dialect, channel }) {
  const passed = dialect === 'responses' && native(channel, dialect);
  return faults(type, value).filter((fault) => !nullable(fault) && !addedBySDK(fault) && !(passed && omitted(fault)) && !(channel.faulty && ownErrors(fault)));
}

// framesOf splits a stream into its events, without the comments that keep the connection alive.
function framesOf(text) {
  assert.ok(text.endsWith('\n\n'), 'the stream ends in the middle of a frame');
  return text.split('\n\n').slice(0, -1).map((frame) => {
    const lines = frame.split('\n').filter((line) => !line.startsWith(':'));
    const field = (name) => lines.filter((line) => line.startsWith(name + ': ')).map((line) => line.slice(name.length + 2)).join('\n');
    return { name: field('event'), data: field('data') };
  }).filter((frame) => frame.data);
}

// chatStream checks a stream of chat completion chunks and returns the differences from the types.
function chatStream(exchange) {
  const frames = framesOf(exchange.answer);
  const last = frames.pop().data;
  const chunks = frames.map((frame) => JSON.parse(frame.data));
  const found = chunks.flatMap((chunk) => check('Chunk', chunk, exchange));
  if (exchange.channel.faulty) return [...found, ...failure(last)];
  assert.equal(last, '[DONE]');
  for (const key of ['id', 'created', 'model']) assert.equal(new Set(chunks.map((chunk) => chunk[key])).size, 1, `all chunks have the same ${key}`);
  const choices = chunks.flatMap((chunk) => chunk.choices);
  if (!native(exchange.channel, 'chat')) assert.equal(choices[0].delta.role, 'assistant');
  assert.equal(choices.filter((choice) => choice.finish_reason).length, 1, 'one finish reason');
  assert.ok(choices.at(-1).finish_reason, 'the finish reason is in the last choice');
  const asked = exchange.request.stream_options?.include_usage ?? false;
  assert.equal(chunks.filter((chunk) => chunk.usage).length, asked ? 1 : 0, 'usage occurs once if it was requested');
  if (asked) assert.deepEqual(chunks.at(-1).choices, []);
  return found;
}

// responsesStream checks a stream of response events and returns the differences from the types.
function responsesStream(exchange) {
  const frames = framesOf(exchange.answer);
  const events = frames.map((frame) => JSON.parse(frame.data));
  const found = events.flatMap((event) => check('Event', event, exchange));
  events.forEach((event, i) => {
    assert.equal(event.type, frames[i].name);
    if (event.sequence_number !== undefined || !native(exchange.channel, 'responses')) assert.equal(event.sequence_number, i);
    assert.equal(terminal.has(event.type), i === events.length - 1, `${event.type} at ${i} of ${events.length}`);
  });
  assert.equal(events[0].type, 'response.created');
  assert.equal(new Set(events.filter((event) => event.response).map((event) => event.response.id)).size, 1, 'all events have the same response id');
  assert.equal(events.at(-1).type === 'response.failed', exchange.channel.faulty);
  if (!exchange.channel.faulty) checkItems(events);
  return found;
}

// checkItems checks the events of each output item, from its start to the terminal event.
function checkItems(events) {
  const open = new Map();
  const done = [];
  for (const event of events) {
    if (event.type === 'response.output_item.added') open.set(event.output_index, { id: event.item.id, text: '' });
    const item = open.get(event.output_index);
    if (event.item_id !== undefined) assert.equal(event.item_id, item?.id, `${event.type} belongs to no open item`);
    if (event.type.endsWith('.delta')) item.text += event.delta;
    if (event.type === 'response.output_text.done') assert.equal(event.text, item.text);
    if (event.type === 'response.function_call_arguments.done') assert.equal(event.arguments, item.text);
    if (event.type === 'response.output_item.done') {
      assert.equal(event.item.id, item.id);
      open.delete(event.output_index);
      done[event.output_index] = event.item;
    }
  }
  assert.equal(open.size, 0, 'items without an end');
  assert.deepEqual(events.at(-1).response.output, done);
}

// failure checks an error answer: OpenAI's four keys and no others.
function failure(answer) {
  const { error } = JSON.parse(answer);
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'param', 'type']);
  return [];
}

// faultsOf checks one recorded answer by its status and content type.
function faultsOf(exchange) {
  if (exchange.status !== 200) return failure(exchange.answer);
  if (exchange.type.startsWith('application/json')) return check(exchange.dialect === 'chat' ? 'Chat' : 'Body', JSON.parse(exchange.answer), exchange);
  return exchange.dialect === 'chat' ? chatStream(exchange) : responsesStream(exchange);
}

const faulty = ['refused', 'cut', 'failing'].map((model) => ({ name: model, model, dialects: ['chat'], faulty: true }));

for (const channel of [...channels.map((channel) => ({ ...channel, faulty: false })), ...faulty]) {
  describe(channel.name, () => {
    for (const [path, dialect] of Object.entries(dialects)) {
      // A client may disconnect after it has read an error, so the record of a faulty stream may be cut.
      const all = exchanges.filter((exchange) => exchange.path === path && exchange.model === channel.model && (!exchange.cut || channel.faulty));
      test(`${dialect}: ${all.length} answers`, () => {
        assert.ok(all.length > 0, 'no client called this model');
        for (const exchange of all) {
          let found;
          try {
            found = faultsOf({ ...exchange, dialect, channel });
          } catch (error) {
            error.message = `${exchange.client}: ${error.message}\n${JSON.stringify(exchange.request).slice(0, 600)}\n${exchange.answer.slice(0, 2000)}`;
            throw error;
          }
          assert.deepEqual(found, [], `${exchange.client}: ${JSON.stringify(exchange.request).slice(0, 600)}`);
        }
      });
    }
  });
}
