import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { changes } from "@/components/changes";
import { amountFault } from "@/components/form";

type Caps = Schema<"Caps">;
type Limits = Schema<"Limits">;

/** The form fields of budgets as decimal strings of USD. An empty string means no budget. */
export interface BudgetValues {
  day: string;
  week: string;
  month: string;
}

/** The form fields of rate limits. An empty string means unlimited. */
export interface RateLimitValues {
  requests_per_minute: number | string;
  tokens_per_minute: number | string;
  concurrency: number | string;
}

/** The form fields of all limits of a user or a token: quota, budgets and rate limits. */
export interface LimitValues extends BudgetValues, RateLimitValues {
  quota: string;
}

const field = <Name extends string>(name: Name, label: MessageDescriptor) => ({
  name,
  get label() {
    return i18n._(label);
  },
});

/** The form fields of budgets with their labels. */
export const budgetFields = [field("day", msg`Per day`), field("week", msg`Per week`), field("month", msg`Per month`)];

/** The form fields of rate limits with their labels. */
export const rateLimitFields = [
  field("requests_per_minute", msg`Requests per minute`),
  field("tokens_per_minute", msg`Tokens per minute`),
  field("concurrency", msg`Concurrent requests`),
];

const rateLimitText: Record<keyof RateLimitValues, (limit: number) => string> = {
  requests_per_minute: (limit) => plural(limit, { one: "# request/min", other: "# requests/min" }),
  tokens_per_minute: (limit) => plural(limit, { one: "# token/min", other: "# tokens/min" }),
  concurrency: (limit) => plural(limit, { one: "# concurrent request", other: "# concurrent requests" }),
};

export const noBudgets: BudgetValues = { day: "", week: "", month: "" };
export const noRateLimits: RateLimitValues = { requests_per_minute: "", tokens_per_minute: "", concurrency: "" };
export const noLimits: LimitValues = { quota: "", ...noBudgets, ...noRateLimits };

/** Returns the form fields of the API's caps. */
export const budgetValues = ({ day, week, month }: Caps): BudgetValues => ({
  day: day ?? "",
  week: week ?? "",
  month: month ?? "",
});

/** Returns the form fields of the API's rate limits. 0, which means unlimited, becomes an empty field. */
export const rateLimitValues = (limits: Limits): RateLimitValues => ({
  requests_per_minute: limits.requests_per_minute || "",
  tokens_per_minute: limits.tokens_per_minute || "",
  concurrency: limits.concurrency || "",
});

/** Returns the form fields of an existing user or token. */
export const limitValues = ({
  quota,
  caps,
  limits,
}: Pick<Schema<"User">, "quota" | "caps" | "limits">): LimitValues => ({
  quota: quota.granted ?? "",
  ...budgetValues(caps),
  ...rateLimitValues(limits),
});

const amount = (text: string) => text.trim() || null;

/** Returns the quota in the field. null means unlimited. */
export const quotaOf = ({ quota }: Pick<LimitValues, "quota">) => amount(quota);

/** Returns the budgets in the fields as the API's caps. null means no budget. */
export const budgetsOf = ({ day, week, month }: BudgetValues): Caps => ({
  day: amount(day),
  week: amount(week),
  month: amount(month),
});

/** Returns the rate limits in the fields. 0 means unlimited. */
export const rateLimitsOf = (values: RateLimitValues): Limits => ({
  requests_per_minute: Number(values.requests_per_minute),
  tokens_per_minute: Number(values.tokens_per_minute),
  concurrency: Number(values.concurrency),
});

/** Returns all limits in the fields, under the names of the API. */
export const limitsOf = (values: LimitValues) => ({
  quota: quotaOf(values),
  caps: budgetsOf(values),
  limits: rateLimitsOf(values),
});

/** Returns the body of a PATCH request with the limits that changed. */
export const limitsPatch = (before: LimitValues, after: LimitValues) => changes(limitsOf(before), limitsOf(after));

const fault = (text: string) => amountFault(text);

/** Validates the budget fields. Each validator returns null for a valid text. */
export const budgetFaults = { day: fault, week: fault, month: fault };

/** Validates the quota field and the budget fields. */
export const limitFaults = { quota: fault, ...budgetFaults };

/** Maps the API's field names to the names of the form fields. */
export const limitNames: Record<string, string> = {
  "caps.day": "day",
  "caps.week": "week",
  "caps.month": "month",
  "limits.requests_per_minute": "requests_per_minute",
  "limits.tokens_per_minute": "tokens_per_minute",
  "limits.concurrency": "concurrency",
};

/** Returns a text such as "600 requests/min, 10 concurrent requests"; undefined without limits. */
export function showRateLimits(limits: Limits): string | undefined {
  const set = rateLimitFields
    .filter(({ name }) => limits[name] > 0)
    .map(({ name }) => rateLimitText[name](limits[name]));
  return set.length > 0 ? set.join(", ") : undefined;
}
