// What the Go test that runs these files tells them of the relay: its address,
// a token, and the channels, each of which serves a model of its own.
import assert from 'node:assert/strict';
import { answers } from './answers.mjs';

export const baseURL = process.env.TOLLGATE_URL + '/v1';
export const apiKey = process.env.ACME_TOKEN;
export const venues = JSON.parse(process.env.VENUES);

// Those with a model behind them: echo repeats the user's last message, and
// calls no tool, whatever it is asked for.
export const simulated = venues.filter((venue) => venue.name !== 'echo');

export const native = (venue, dialect) => venue.dialects.includes(dialect);

// What a venue answers to a question that the simulator has no other answer to.
export const question = 'Say hello.';
export const textFrom = (venue) => (venue.name === 'echo' ? question : answers.text);

export const image = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

// refuses asserts that the relay refuses a request, and names the field.
export async function refuses(request, param) {
  await assert.rejects(request, (error) => {
    assert.equal(error.status, 400, String(error));
    assert.equal(error.code, 'unsupported_parameter');
    assert.equal(error.param, param);
    return true;
  });
}
