import type { Schema } from "@/api/client";
import { labelOf } from "@/components/usage/classes";
import { parseUsd, percent } from "@/format/money";

import { labelIn } from "./labels";

export type PriceMargins = Schema<"PriceMargins">;

/** The margin of one class of a price on one channel. Amounts are decimals of USD. */
export interface MarginLine {
  channel: string;
  label: string;
  price: string;
  cost: string;
  margin: string;
  /** The margin in percent of the price, such as "12.5%"; undefined for a price of zero. */
  percent: string | undefined;
  loss: boolean;
}

/** What is known about the margin of a new price. */
export interface MarginSummary {
  lines: MarginLine[];
  losses: MarginLine[];
  /** The line with the smallest share of the price that is left; undefined without known costs. */
  lowest: MarginLine | undefined;
  /** The names of the channels whose costs are not known. */
  unknown: string[];
}

/** Returns the margins of a new price, channel by channel. */
export function marginsOf({ channels }: Pick<PriceMargins, "channels">): MarginSummary {
  const lines = channels.flatMap(({ channel, classes }) =>
    classes.map(({ class: name, service_tier = "", above_input = 0, price, cost, margin }): MarginLine => ({
      channel,
      label: labelIn(labelOf(name), { service: service_tier, above: above_input }),
      price,
      cost,
      margin,
      percent: percent(parseUsd(margin), parseUsd(price)),
      loss: parseUsd(margin) < 0n,
    })),
  );
  const charged = lines.filter(({ price, cost }) => parseUsd(price) > 0n || parseUsd(cost) > 0n);
  return {
    lines,
    losses: lines.filter(({ loss }) => loss),
    lowest: charged.toSorted((a, b) => shareOf(a) - shareOf(b))[0],
    unknown: channels.filter(({ known }) => !known).map(({ channel }) => channel),
  };
}

/** Returns the margin as a part of the price, to compare lines. A price of zero with costs is the worst. */
const shareOf = ({ price, margin }: MarginLine) =>
  parseUsd(price) === 0n ? Number.NEGATIVE_INFINITY : Number(parseUsd(margin)) / Number(parseUsd(price));
