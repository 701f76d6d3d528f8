// The types that OpenAI publishes, by way of its SDK, which is generated from
// the description of its API.
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';

export type Chat = ChatCompletion;
export type Chunk = ChatCompletionChunk;
export type Body = Response;
export type Event = ResponseStreamEvent;
