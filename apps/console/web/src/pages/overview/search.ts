import { t } from "@lingui/core/macro";

import { ranges } from "@/components/usage/range";
import { allMeasures, isNone } from "@/components/usage/series";
import { moment, oneOf, text } from "@/routes/root";

import { type Dimension, dimensions, type OverviewFilter, type OverviewSearch } from "./query";

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

/** Returns the filters of the usage logs, or of the overview, for one value. Usage without a channel has none. */
export const only = (by: Dimension, value: string | undefined): OverviewFilter =>
  isNone(value) ? {} : { [by]: value };
