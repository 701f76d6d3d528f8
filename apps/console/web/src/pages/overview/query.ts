import type { paths } from "@tollgate/client/console";

import type { Identity } from "@/api/session";
import { type Range, spanBetween, spanOf, type Span } from "@/components/usage/range";
import type { Measure } from "@/components/usage/series";
import { timeZone } from "@/format/timeZone";

type Parameters = NonNullable<paths["/api/usage-overview"]["get"]["parameters"]["query"]>;

/** The dimensions by which usage can be grouped. dimensionsOf returns those that a role may use. */
export const dimensions = ["model", "token", "user", "tenant", "channel"] as const;
export type Dimension = (typeof dimensions)[number];

/** The values to which the overview is limited, by dimension: ids, and of models their names. */
export type OverviewFilter = { [By in Dimension]?: string | undefined };

/** The query string of the overview. An absent field means its default. */
export interface OverviewSearch extends OverviewFilter {
  range?: Range | undefined;
  /** A time of its own, as ISO text. The range is for overviews without one. */
  from?: string | undefined;
  to?: string | undefined;
  measure?: Measure | undefined;
  by?: Dimension | undefined;
  /** The name of a tag, or "*user" for end users. */
  tag?: string | undefined;
}

/** Returns the filter of a query string. */
export const filterOf = ({ model, token, user, tenant, channel }: OverviewSearch): OverviewFilter => ({
  model,
  token,
  user,
  tenant,
  channel,
});

/** Returns the dimensions by which a role may group the usage that a filter leaves, without those that it fixes. */
export function dimensionsOf(
  role: "owner" | "admin" | "member" | "operator",
  filter: OverviewFilter = {},
): Dimension[] {
  const all: Record<typeof role, Dimension[]> = {
    operator: filter.tenant === undefined ? ["tenant", "model", "channel"] : ["model", "channel", "token", "user"],
    member: ["model", "token"],
    owner: ["model", "token", "user"],
    admin: ["model", "token", "user"],
  };
  return all[role].filter((by) => filter[by] === undefined);
}

/** The selected time, filter, grouping and measure of the overview. */
export interface View {
  /** undefined: a time that the user has chosen. */
  range: Range | undefined;
  span: Span;
  filter: OverviewFilter;
  /** Whether the filter limits anything. */
  filtered: boolean;
  by: Dimension;
  choices: Dimension[];
  /** The dimensions of the lists. */
  lists: Dimension[];
  measure: Measure;
  /** The selected tag, or "*user" for end users; undefined: the first one with usage. */
  tag: string | undefined;
  /** Whether usage by end user and tag is read: for those who see the usage of all users, and one tenant. */
  attributed: boolean;
}

/** Returns what a query string selects for a user. */
export function viewOf({ user: { role } }: Identity, search: OverviewSearch, now: number): View {
  const filter = filterOf(search);
  const choices = dimensionsOf(role, filter);
  const own = search.from !== undefined && search.to !== undefined;
  const fixed = Object.entries(filter).flatMap(([by, value]) => (value === undefined ? [] : [by]));
  const range = search.range ?? "30d";
  return {
    range: own ? undefined : range,
    span: own ? spanBetween(Date.parse(search.from ?? ""), Date.parse(search.to ?? ""), now) : spanOf(range, now),
    filter,
    filtered: fixed.length > 0,
    by: choices.find((one) => one === search.by) ?? choices[0] ?? "model",
    choices,
    lists: choices.slice(0, role === "operator" ? 3 : 2),
    measure: search.measure ?? "spend",
    tag: search.tag,
    attributed:
      role !== "member" && fixed.every((by) => by === "tenant") && (role !== "operator" || filter.tenant !== undefined),
  };
}

/** Returns the parameters with which the API returns all usage that the view shows. */
export function overviewParameters({
  span: { from, to, bucket },
  filter: { model, token, user, tenant, channel },
  by,
  lists,
  filtered,
  attributed,
}: View): Parameters {
  // A list of what a filter fixes has one row, with its name.
  const named = filtered
    ? [token && "token", user && "user", tenant && "tenant", channel && "channel"].flatMap((one) =>
        one ? [one as Dimension] : [],
      )
    : [];
  return {
    from,
    to,
    bucket,
    zone: timeZone(),
    series: by,
    by: [...lists, ...named].slice(0, 5),
    model,
    token_id: token,
    user_id: user,
    tenant_id: tenant,
    channel_id: channel,
    failures: 5,
    attribution: attributed || undefined,
  };
}

/** Returns the parameters of the summary that tells whether a tenant has made any calls lately. */
export function pastParameters(now: number) {
  const { from, to } = spanOf("90d", now);
  return { from, to };
}
