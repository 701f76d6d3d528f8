import { createParser, type ParseError } from "eventsource-parser";

/** The upper bound of the length of an event, in UTF-16 code units. */
const maxEvent = 16 << 20;

/**
 * Yields the data of each server-sent event of a body. It drops comments, the names of events, and an event that is
 * cut off at the end of the body. Leaving the loop cancels the body. It throws a ParseError if an event is longer than
 * 16 Mi characters.
 */
export async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const data: string[] = [];
  const parser = createParser({ maxBufferSize: maxEvent, onEvent: (event) => data.push(event.data), onError: failIfTooLong });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* data.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function failIfTooLong(error: ParseError) {
  if (error.type === "max-buffer-size-exceeded") throw error;
}
