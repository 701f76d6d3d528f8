/** Answers to reads that began before the code of the page had loaded, by their earlyKey. See early.ts. */
export type EarlyAnswers = Map<string, Promise<Response>>;

declare global {
  interface Window {
    earlyAnswers?: EarlyAnswers;
  }
}

/** Returns the path of an address with its parameters in the order of their names. */
export function earlyKey(address: string): string {
  const { pathname, searchParams } = new URL(address, window.location.href);
  searchParams.sort();
  return `${pathname}?${searchParams}`;
}

/** Returns the answer to a read that has already begun, once: undefined if there is none, or if the read failed. */
export async function earlyAnswer(address: string): Promise<Response | undefined> {
  const answers = window.earlyAnswers;
  if (!answers?.size) return undefined;
  const key = earlyKey(address);
  const answer = answers.get(key);
  answers.delete(key);
  return answer?.catch(() => undefined);
}
