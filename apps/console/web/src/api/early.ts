/** The reads of a page that began before its code had loaded. See early.ts. */
export interface EarlyReads {
  /** The time in ms at which they began. */
  at: number;
  /** The answers by their earlyKey. */
  answers: Map<string, Promise<Response>>;
}

declare global {
  interface Window {
    earlyReads?: EarlyReads;
  }
}

/** For how long, in ms, a page is taken to load. Later its early reads are out of date. */
const longestLoad = 30_000;

function current(): EarlyReads | undefined {
  const reads = window.earlyReads;
  return reads && Date.now() - reads.at < longestLoad ? reads : undefined;
}

/**
 * Returns the current time in ms, or while the page loads, the time of its early reads: what the page then asks for is
 * what they have asked for, also if a minute has ended in between.
 */
export const readTime = (): number => current()?.at ?? Date.now();

/** Returns the path of an address with its parameters in the order of their names. */
export function earlyKey(address: string): string {
  const { pathname, searchParams } = new URL(address, window.location.href);
  searchParams.sort();
  return `${pathname}?${searchParams}`;
}

/** Returns the answer to a read that has already begun, once: undefined if there is none, or if the read failed. */
export async function earlyAnswer(address: string): Promise<Response | undefined> {
  const answers = current()?.answers;
  if (!answers?.size) return undefined;
  const key = earlyKey(address);
  const answer = answers.get(key);
  answers.delete(key);
  return answer?.catch(() => undefined);
}
