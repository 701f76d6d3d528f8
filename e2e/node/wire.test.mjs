// Whatever the relay answered to the clients, held against OpenAI's own types
// and against the order that they rely on in streams.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { faults } from './schema.mjs';
import { native, venues } from './venues.mjs';

const exchanges = readFileSync(process.env.EXCHANGES, 'utf8').trim().split('\n').map(JSON.parse);
const dialects = { '/v1/chat/completions': 'chat', '/v1/responses': 'responses' };
const terminal = new Set(['response.completed', 'response.incomplete', 'response.failed']);

// What the simulator leaves out of its responses is passed on as it is, where
// the channel speaks them; what it does say must be right all the same.
const omitted = (fault) => fault.includes(': required: ');

// OpenAI sends these as null where there is nothing to say, as its examples
// show, and its types have only the rest of the truth.
const nullable = (fault) => /(Body|response)\/(usage|user): type: must be \w+ {2}: null$/.test(fault);

// What the relay itself has to say of an upstream is in its own words, and
// OpenAI's types list none but OpenAI's.
const own = (fault) => /^ResponseFailedEvent\/response\/error/.test(fault);

// The SDK makes this of the rest, and its types have it besides the wire's.
const made = (fault) => fault.includes("required property 'output_text'");

function check(type, value, { dialect, venue }) {
  const passed = dialect === 'responses' && native(venue, dialect);
  return faults(type, value).filter((fault) => !nullable(fault) && !made(fault) && !(passed && omitted(fault)) && !(venue.faulty && own(fault)));
}

// framesOf splits a stream into its events. Comments keep it alive and say nothing.
function framesOf(text) {
  assert.ok(text.endsWith('\n\n'), 'the stream ends within a frame');
  return text.split('\n\n').slice(0, -1).map((frame) => {
    const lines = frame.split('\n').filter((line) => !line.startsWith(':'));
    const field = (name) => lines.filter((line) => line.startsWith(name + ': ')).map((line) => line.slice(name.length + 2)).join('\n');
    return { name: field('event'), data: field('data') };
  }).filter((frame) => frame.data);
}

function chatStream(exchange) {
  const frames = framesOf(exchange.answer);
  const last = frames.pop().data;
  const chunks = frames.map((frame) => JSON.parse(frame.data));
  const found = chunks.flatMap((chunk) => check('Chunk', chunk, exchange));
  if (exchange.venue.faulty) return [...found, ...failure(last)];
  assert.equal(last, '[DONE]');
  for (const key of ['id', 'created', 'model']) assert.equal(new Set(chunks.map((chunk) => chunk[key])).size, 1, `one ${key} in a stream`);
  const choices = chunks.flatMap((chunk) => chunk.choices);
  if (!native(exchange.venue, 'chat')) assert.equal(choices[0].delta.role, 'assistant');
  assert.equal(choices.filter((choice) => choice.finish_reason).length, 1, 'one finish reason');
  assert.ok(choices.at(-1).finish_reason, 'nothing is said after the finish reason');
  const asked = exchange.request.stream_options?.include_usage ?? false;
  assert.equal(chunks.filter((chunk) => chunk.usage).length, asked ? 1 : 0, 'usage once, where it was asked for');
  if (asked) assert.deepEqual(chunks.at(-1).choices, []);
  return found;
}

function responsesStream(exchange) {
  const frames = framesOf(exchange.answer);
  const events = frames.map((frame) => JSON.parse(frame.data));
  const found = events.flatMap((event) => check('Event', event, exchange));
  events.forEach((event, i) => {
    assert.equal(event.type, frames[i].name);
    if (event.sequence_number !== undefined || !native(exchange.venue, 'responses')) assert.equal(event.sequence_number, i);
    assert.equal(terminal.has(event.type), i === events.length - 1, `${event.type} at ${i} of ${events.length}`);
  });
  assert.equal(events[0].type, 'response.created');
  assert.equal(new Set(events.filter((event) => event.response).map((event) => event.response.id)).size, 1, 'one id');
  assert.equal(events.at(-1).type === 'response.failed', exchange.venue.faulty);
  if (!exchange.venue.faulty) checkItems(events);
  return found;
}

// checkItems follows each item from where it is added to the terminal event.
function checkItems(events) {
  const open = new Map();
  const done = [];
  for (const event of events) {
    if (event.type === 'response.output_item.added') open.set(event.output_index, { id: event.item.id, text: '' });
    const item = open.get(event.output_index);
    if (event.item_id !== undefined) assert.equal(event.item_id, item?.id, `${event.type} is of no open item`);
    if (event.type.endsWith('.delta')) item.text += event.delta;
    if (event.type === 'response.output_text.done') assert.equal(event.text, item.text);
    if (event.type === 'response.function_call_arguments.done') assert.equal(event.arguments, item.text);
    if (event.type === 'response.output_item.done') {
      assert.equal(event.item.id, item.id);
      open.delete(event.output_index);
      done[event.output_index] = event.item;
    }
  }
  assert.equal(open.size, 0, 'every item ends');
  assert.deepEqual(events.at(-1).response.output, done);
}

function failure(answer) {
  const { error } = JSON.parse(answer);
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'param', 'type']);
  return [];
}

function faultsOf(exchange) {
  if (exchange.status !== 200) return failure(exchange.answer);
  if (exchange.type.startsWith('application/json')) return check(exchange.dialect === 'chat' ? 'Chat' : 'Body', JSON.parse(exchange.answer), exchange);
  return exchange.dialect === 'chat' ? chatStream(exchange) : responsesStream(exchange);
}

const faulty = ['refused', 'cut', 'failing'].map((model) => ({ name: model, model, dialects: ['chat'], faulty: true }));

for (const venue of [...venues.map((venue) => ({ ...venue, faulty: false })), ...faulty]) {
  describe(venue.name, () => {
    for (const [path, dialect] of Object.entries(dialects)) {
      // A client may hang up once it has read of a fault, and then all is said.
      const all = exchanges.filter((exchange) => exchange.path === path && exchange.model === venue.model && (!exchange.cut || venue.faulty));
      test(`${dialect}: ${all.length} answers`, () => {
        assert.ok(all.length > 0, 'nobody called it');
        for (const exchange of all) {
          let found;
          try {
            found = faultsOf({ ...exchange, dialect, venue });
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
