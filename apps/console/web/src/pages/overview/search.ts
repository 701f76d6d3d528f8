import { t } from "@lingui/core/macro";

import { ranges, type Range } from "@/components/usage/range";
import { allMeasures, isNone, type Measure } from "@/components/usage/series";
import { moment, oneOf, text } from "@/routes/root";

/** The dimensions by which usage can be grouped. dimensionsOf returns those that a role may use. */
export const dimensions = ["model", "token", "user", "tenant", "channel"] as const;
export type Dimension = (typeof dimensions)[number];

export const dimensionNames: Record<Dimension, string> = {
  get model() {
    return t`Model`;
  },
  get token() {
    return t`Token`;
  },
  get user() {
    return t`User`;
  },
  get tenant() {
    return t`Tenant`;
  },
  get channel() {
    return t`Channel`;
  },
};

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

/** Parses a query string. Unknown values are dropped. */
export const overviewSearch = (search: Record<string, unknown>): OverviewSearch => ({
  range: oneOf(search["range"], ranges),
  from: moment(search["from"]),
  to: moment(search["to"]),
  measure: oneOf(search["measure"], allMeasures),
  by: oneOf(search["by"], dimensions),
  tag: text(search["tag"], 32),
  model: text(search["model"]),
  token: text(search["token"], 36),
  user: text(search["user"], 36),
  tenant: text(search["tenant"], 36),
  channel: text(search["channel"], 36),
});

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

/** Returns the filters of the usage logs, or of the overview, for one value. Usage without a channel has none. */
export const only = (by: Dimension, value: string | undefined): OverviewFilter =>
  isNone(value) ? {} : { [by]: value };
