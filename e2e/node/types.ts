// OpenAI's published types, from the SDK, which is generated from OpenAI's API description.
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';

export type Chat = ChatCompletion;
export type Chunk = ChatCompletionChunk;
export type Body = Response;
export type Event = ResponseStreamEvent;
