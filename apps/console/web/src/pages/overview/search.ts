import { ranges, type Range } from "@/components/usage/range";
import { measures, type Measure } from "@/components/usage/series";
import { oneOf } from "@/routes/root";

/** The dimensions by which usage can be grouped. dimensionsOf returns those that a role may use. */
export const dimensions = ["model", "token", "user", "tenant", "channel"] as const;
export type Dimension = (typeof dimensions)[number];

export const dimensionNames: Record<Dimension, string> = { model: "Model", token: "Token", user: "User", tenant: "Tenant", channel: "Channel" };

/** The query string of the overview. An absent field means its default. */
export interface OverviewSearch {
  range?: Range | undefined;
  measure?: Measure | undefined;
  by?: Dimension | undefined;
}

/** Parses a query string. Unknown values are dropped. */
export const overviewSearch = (search: Record<string, unknown>): OverviewSearch => ({
  range: oneOf(search["range"], ranges),
  measure: oneOf(search["measure"], measures),
  by: oneOf(search["by"], dimensions),
});

/** Returns the dimensions by which a role may group usage. */
export function dimensionsOf(role: "owner" | "admin" | "member" | "operator"): Dimension[] {
  if (role === "operator") return ["tenant", "model", "channel"];
  return role === "member" ? ["model", "token"] : ["model", "token", "user"];
}
