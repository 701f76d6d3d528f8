// Embeddings by the OpenAI SDK, LangChain and the AI SDK, unmodified, against a running relay. The Go test that runs this
// file sets TOLLGATE_URL and ACME_TOKEN.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { OpenAIEmbeddings } from '@langchain/openai';
import { embed, embedMany } from 'ai';
import OpenAI from 'openai';

const baseURL = process.env.TOLLGATE_URL + '/v1';
const apiKey = process.env.ACME_TOKEN;
const model = 'gpt-4o-mini';
const vector = [0.5, -0.25, 0.125];

test('openai asks for base64 and decodes it', async () => {
  const client = new OpenAI({ baseURL, apiKey });
  const { data, response } = await client.embeddings.create({ model, input: ['one', 'two words'] }).withResponse();
  assert.deepEqual(data.data.map(({ embedding }) => [...embedding]), [vector, vector]);
  assert.deepEqual(data.usage, { prompt_tokens: 3, total_tokens: 3 });
  assert.match(response.headers.get('x-tollgate-quota'), /^0\.\d+$/);
  const floats = await client.embeddings.create({ model, input: 'one', encoding_format: 'float', dimensions: 3 });
  assert.deepEqual(floats.data[0].embedding, vector);
});

test('openai gets an error that names the field', async () => {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  await assert.rejects(client.embeddings.create({ model }), (error) => error instanceof OpenAI.BadRequestError && error.param === 'input' && error.code === 'missing_required_parameter');
});

test('LangChain', async () => {
  const embeddings = new OpenAIEmbeddings({ model, apiKey, batchSize: 2, configuration: { baseURL } });
  assert.deepEqual((await embeddings.embedDocuments(['one', 'two', 'three'])).map((v) => [...v]), [vector, vector, vector]);
  assert.deepEqual([...(await embeddings.embedQuery('one'))], vector);
});

for (const [name, of] of Object.entries({
  'AI SDK': createOpenAI({ baseURL, apiKey }).embedding(model),
  'AI SDK, compatible': createOpenAICompatible({ name: 'tollgate', baseURL, apiKey }).embeddingModel(model),
})) {
  test(name, async () => {
    const one = await embed({ model: of, value: 'two words' });
    assert.deepEqual(one.embedding, vector);
    assert.equal(one.usage.tokens, 2);
    const values = Array.from({ length: 3000 }, (_, i) => `text ${i}`);
    const many = await embedMany({ model: of, values, maxParallelCalls: 2 });
    assert.equal(many.embeddings.length, 3000);
    assert.equal(many.usage.tokens, 6000);
  });
}
