/** The objects of which the API changes the fields that a request names. It replaces other objects as a whole. */
type Merged = "caps" | "limits";
const merged: ReadonlySet<string> = new Set<Merged>(["caps", "limits"]);

type Patch<Body> = { [Name in keyof Body]?: Name extends Merged ? Partial<Body[Name]> : Body[Name] };

/**
 * Returns the fields of `after` whose values differ from those of `before`, for the body of a PATCH request. Both must
 * have the same fields. Values are compared as JSON, so objects must have their keys in the same order.
 */
export function changes<Body extends object>(before: Body, after: Body): Patch<Body> {
  const patch: Patch<Body> = {};
  for (const name of Object.keys(after) as (keyof Body & string)[]) {
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) continue;
    patch[name] = (merged.has(name) ? changes(before[name] as object, after[name] as object) : after[name]) as never;
  }
  return patch;
}
