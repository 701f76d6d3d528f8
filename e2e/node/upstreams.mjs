// Starts a simulator of OpenAI, Azure, Anthropic and Gemini (the package aimock) with the answers that the
// tests of client libraries expect. It prints its base URL and runs until it is killed.
import { LLMock } from '@copilotkit/aimock';
import { answers } from './answers.mjs';

const usage = {
  prompt_tokens: 21, completion_tokens: 9,
  input_tokens: 21, output_tokens: 9,
  promptTokenCount: 21, candidatesTokenCount: 9,
};

const weather = (city, id) => ({ id, name: 'weather', arguments: JSON.stringify({ city }) });

// Answers by the first of these words that the user's last message contains.
const replies = [
  ['Paris and Rome', { toolCalls: [weather('Paris', 'call_paris'), weather('Rome', 'call_rome')] }],
  ['weather', { content: answers.lookingUp, toolCalls: [weather('Paris', 'call_paris')] }],
  ['Count', { content: answers.count }],
  ['Think', { content: answers.thought, reasoning: answers.reasoning }],
  ['picture', { content: answers.picture }],
  ['report', { content: JSON.stringify(answers.report) }],
  ['Cut', { content: answers.text, finishReason: 'length' }],
  ['file', { toolCalls: [{ id: 'call_file', name: 'exec_command', arguments: JSON.stringify({ cmd: 'cat note.txt' }) }] }],
];

const textOf = (content) => (typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join(' '));

// Claude Code is asked to read a file. It adds texts of its own to each message.
const note = /Read the note (\/\S+)\. What/;

// reply chooses the answer: the one after a tool if the last message is a tool's result, else by the user's words.
function reply(request) {
  const asked = request.messages.findLastIndex((message) => message.role === 'user' && note.test(textOf(message.content)));
  if (asked >= 0) {
    if (request.messages.slice(asked + 1).some((message) => message.role === 'tool')) return { content: answers.afterTool };
    const [, path] = note.exec(textOf(request.messages[asked].content));
    return { toolCalls: [{ id: 'call_note', name: 'Read', arguments: JSON.stringify({ file_path: path }) }] };
  }
  const last = request.messages.findLastIndex((message) => message.role === 'user');
  if (request.messages.slice(last + 1).some((message) => message.role === 'tool')) return { content: answers.afterTool };
  const question = textOf(request.messages[last]?.content);
  return replies.find(([word]) => question.includes(word))?.[1] ?? { content: answers.text };
}

const mock = new LLMock({ port: 0, chunkSize: 7 });
mock.on({ predicate: () => true }, (request) => ({ ...reply(request), usage }));
await mock.start();
console.log(mock.url);
