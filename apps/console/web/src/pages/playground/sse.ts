/** One event of a stream of server-sent events. */
export interface SseEvent {
  /** Its name; "message" where the stream gave none. */
  event: string;
  data: string;
}

const longestEvent = 8_000_000; // characters

/**
 * Reads server-sent events out of chunks that are cut anywhere, within a character too. Comments and fields other
 * than event and data are passed over. An event of more than 8 million characters is a RangeError.
 */
export class SseParser {
  private readonly decoder = new TextDecoder();
  private rest = "";
  private event = "";
  private data: string[] = [];
  private size = 0;

  /** The events that end within the chunk. */
  push(chunk: Uint8Array): SseEvent[] {
    this.rest += this.decoder.decode(chunk, { stream: true });
    const found: SseEvent[] = [];
    for (let line = this.line(); line !== undefined; line = this.line()) {
      const event = this.take(line);
      if (event) found.push(event);
    }
    if (this.rest.length + this.size > longestEvent) throw new RangeError("an event of the stream is too long");
    return found;
  }

  /** The next whole line. A CR at the very end may be the half of a CRLF: it waits for what follows. */
  private line(): string | undefined {
    const end = this.rest.search(/\r\n|\n|\r(?!$)/);
    if (end < 0) return undefined;
    const line = this.rest.slice(0, end);
    this.rest = this.rest.slice(end + (this.rest.startsWith("\r\n", end) ? 2 : 1));
    return line;
  }

  private take(line: string): SseEvent | undefined {
    if (line === "") return this.dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.event = value;
    if (field === "data") {
      this.data.push(value);
      this.size += value.length;
    }
    return undefined;
  }

  private dispatch(): SseEvent | undefined {
    const event = this.data.length > 0 ? { event: this.event || "message", data: this.data.join("\n") } : undefined;
    this.event = "";
    this.data = [];
    this.size = 0;
    return event;
  }
}
