import { api, ask, type Schema } from "./client";
import { hasStatus } from "./problem";

/**
 * Reports whether a text looks like the whole value of a token. A value is a secret: it must not get into an address,
 * and so not into a search.
 */
export const isTokenValue = (text: string) => /^sk-\S{17,509}$/.test(text);

/** Finds the token with a value, or undefined if the caller may see none. */
export async function lookUpToken(value: string): Promise<Schema<"Token"> | undefined> {
  try {
    return await ask(api.POST("/api/tokens/lookup", { body: { value } }));
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}
