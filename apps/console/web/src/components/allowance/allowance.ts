import type { Schema } from "@/api/client";
import { amountFault } from "@/components/form";
import { showCount } from "@/format/number";

type Caps = Schema<"Caps">;
type Limits = Schema<"Limits">;

/** What the fields of caps hold: decimal strings of USD, empty where nothing caps. */
export interface CapValues {
  day: string;
  week: string;
  month: string;
}

/** What the fields of rate limits hold: empty is unlimited. */
export interface LimitValues {
  requests_per_minute: number | string;
  tokens_per_minute: number | string;
  concurrency: number | string;
}

/** What the fields hold of all that a user or a token may spend, and how fast. */
export interface AllowanceValues extends CapValues, LimitValues {
  quota: string;
}

export const capFields = [
  { name: "day", label: "Per day" },
  { name: "week", label: "Per week" },
  { name: "month", label: "Per month" },
] as const;

export const limitFields = [
  { name: "requests_per_minute", label: "Requests per minute", short: "requests/min" },
  { name: "tokens_per_minute", label: "Tokens per minute", short: "tokens/min" },
  { name: "concurrency", label: "Requests at once", short: "at once" },
] as const;

export const noCaps: CapValues = { day: "", week: "", month: "" };
export const noLimits: LimitValues = { requests_per_minute: "", tokens_per_minute: "", concurrency: "" };
export const noAllowance: AllowanceValues = { quota: "", ...noCaps, ...noLimits };

export const capValues = ({ day, week, month }: Caps): CapValues => ({ day: day ?? "", week: week ?? "", month: month ?? "" });

export const limitValues = (limits: Limits): LimitValues => ({
  requests_per_minute: limits.requests_per_minute || "",
  tokens_per_minute: limits.tokens_per_minute || "",
  concurrency: limits.concurrency || "",
});

/** The fields of a user or a token that is there. */
export const allowanceValues = ({ quota, caps, limits }: Pick<Schema<"User">, "quota" | "caps" | "limits">): AllowanceValues => ({
  quota: quota.granted ?? "",
  ...capValues(caps),
  ...limitValues(limits),
});

const amount = (text: string) => text.trim() || null;

export const quotaOf = ({ quota }: Pick<AllowanceValues, "quota">) => amount(quota);

/** The caps that the fields say: null is none. */
export const capsOf = ({ day, week, month }: CapValues): Caps => ({ day: amount(day), week: amount(week), month: amount(month) });

/** The limits that the fields say: 0 is unlimited. */
export const limitsOf = (values: LimitValues): Limits => ({
  requests_per_minute: Number(values.requests_per_minute),
  tokens_per_minute: Number(values.tokens_per_minute),
  concurrency: Number(values.concurrency),
});

export const allowanceOf = (values: AllowanceValues) => ({ quota: quotaOf(values), caps: capsOf(values), limits: limitsOf(values) });

const differ = (a: object, b: object) => JSON.stringify(a) !== JSON.stringify(b);

/** The allowance as the body of a change: what did not change is left out. */
export function allowancePatch(before: AllowanceValues, after: AllowanceValues): Partial<ReturnType<typeof allowanceOf>> {
  const old = allowanceOf(before);
  const { quota, caps, limits } = allowanceOf(after);
  return {
    ...(quota !== old.quota && { quota }),
    ...(differ(caps, old.caps) && { caps }),
    ...(differ(limits, old.limits) && { limits }),
  };
}

const fault = (text: string) => amountFault(text);

/** What is wrong with the fields of caps. */
export const capFaults = { day: fault, week: fault, month: fault };

/** What is wrong with the fields of an allowance. */
export const allowanceFaults = { quota: fault, ...capFaults };

/** Fields of the API under their names in a form. */
export const allowanceNames: Record<string, string> = {
  "caps.day": "day",
  "caps.week": "week",
  "caps.month": "month",
  "limits.requests_per_minute": "requests_per_minute",
  "limits.tokens_per_minute": "tokens_per_minute",
  "limits.concurrency": "concurrency",
};

/** "600 requests/min, 10 at once"; undefined without limits. */
export function showLimits(limits: Limits): string | undefined {
  const set = limitFields.filter(({ name }) => limits[name] > 0).map(({ name, short }) => `${showCount(limits[name])} ${short}`);
  return set.length > 0 ? set.join(", ") : undefined;
}
