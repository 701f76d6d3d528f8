/** Reports whether a group's pattern covers the model. "*" covers all models, a trailing * makes a prefix. */
export function covers(pattern: string, model: string): boolean {
  return pattern.endsWith("*") ? model.startsWith(pattern.slice(0, -1)) : pattern === model;
}

/** Reports whether one of the patterns covers the model. */
export const coversAny = (patterns: readonly string[], model: string) =>
  patterns.some((pattern) => covers(pattern, model));

/** Returns the patterns that cover no model. Such a pattern is often a typing error. */
export const unusedPatterns = (patterns: readonly string[], models: readonly string[]) =>
  patterns.filter((pattern) => !models.some((model) => covers(pattern, model)));
