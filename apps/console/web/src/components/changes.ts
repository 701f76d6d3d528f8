/**
 * Returns the fields of `after` whose values differ from those of `before`, for the body of a PATCH request. Values are
 * compared as JSON, so objects must have their keys in the same order.
 */
export const changes = <Body extends object>(before: Body, after: Body): Partial<Body> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Body]),
    ),
  ) as Partial<Body>;
