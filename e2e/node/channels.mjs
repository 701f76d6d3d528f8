// Values from the Go test that runs these files: the relay's address, a token, and the channels, each with a
// model of its own.
import assert from 'node:assert/strict';
import { answers } from './answers.mjs';

export const baseURL = process.env.TOLLGATE_URL + '/v1';
export const apiKey = process.env.ACME_TOKEN;
export const channels = JSON.parse(process.env.CHANNELS);

// The channels with a simulated model. The echo channel repeats the user's last message and never calls a tool.
export const simulated = channels.filter((channel) => channel.name !== 'echo');

// native reports whether a channel's upstream speaks the dialect, so that the relay translates nothing.
export const native = (channel, dialect) => channel.dialects.includes(dialect);

// The question for which the simulator has no special answer, and a channel's answer to it.
export const question = 'Say hello.';
export const textFrom = (channel) => (channel.name === 'echo' ? question : answers.text);

export const image = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

// refuses asserts that the relay refuses a request with an error about the field param.
export async function refuses(request, param) {
  await assert.rejects(request, (error) => {
    assert.equal(error.status, 400, String(error));
    assert.equal(error.code, 'unsupported_parameter');
    assert.equal(error.param, param);
    return true;
  });
}
