/** Whether a group's pattern covers the model: "*" is all, a trailing * a prefix. */
export function covers(pattern: string, model: string): boolean {
  return pattern.endsWith("*") ? model.startsWith(pattern.slice(0, -1)) : pattern === model;
}

/** Whether one of the patterns covers the model. */
export const coversAny = (patterns: readonly string[], model: string) => patterns.some((pattern) => covers(pattern, model));

/** Patterns that cover no model at all: often a slip of the pen. */
export const idle = (patterns: readonly string[], models: readonly string[]) => patterns.filter((pattern) => !models.some((model) => covers(pattern, model)));
