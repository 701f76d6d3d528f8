/**
 * Yields the data of each server-sent event. Comments and the names of events
 * are passed over: the data says all. An event that is cut off is not told.
 */
export async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let data: string[] = [];
  for await (const line of lines(body)) {
    if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    if (line !== "" || data.length === 0) continue;
    yield data.join("\n");
    data = [];
  }
}

/** A line longer than this is no event of ours. */
const maxLine = 16 << 20;

async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      if (rest.length > maxLine) throw new Error("a line of the stream is too long");
      for (const part of parts) yield part.endsWith("\r") ? part.slice(0, -1) : part;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
