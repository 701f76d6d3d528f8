import { t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { parseUsd } from "@/format/money";

type Attribution = Schema<"UsageAttribution">;

/** One row of the table. The row of all other values has no value. */
export interface AttributionRow {
  value?: string;
  quota: string;
  requests: number;
  tokens: number;
}

/** Returns the rows of the table, the one of all other values last, and their sum in nano-dollars. */
export function attributionRows({ items, other }: Attribution): { rows: AttributionRow[]; whole: bigint } {
  const sums = ({ quota, requests, input_tokens, output_tokens }: Attribution["other"]) => ({
    quota,
    requests,
    tokens: input_tokens + output_tokens,
  });
  const rows: AttributionRow[] = items.map((item) => ({ value: item.value, ...sums(item) }));
  if (other.requests > 0) rows.push(sums(other));
  return { rows, whole: rows.reduce((sum, row) => sum + parseUsd(row.quota), 0n) };
}

/** Stands for end users where names of tags are listed. No tag can have this name. */
export const endUsers = "*user";

/** Returns the choices for the table: end users, if calls have some, and the tags. `users` is the usage by end user. */
export function attributionChoices(users: Attribution): { value: string; label: string }[] {
  const tags = users.tags.map(({ name }) => ({ value: name, label: t`Tag ${name}` }));
  return users.items.length > 0 ? [{ value: endUsers, label: t`End users` }, ...tags] : tags;
}

/** Returns the filters of the usage logs that find the calls with a value. */
export function attributionFilter({ from, to }: Attribution, name: string, value: string, tenant?: string) {
  return {
    from,
    to,
    ...(tenant && { tenant }),
    ...(name === endUsers ? { end_user: value } : { tag: `${name}=${value}` }),
  };
}
