import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";

import type { Role } from "@/api/session";
import { roleName } from "@/components/roles";
import { statusWord } from "@/components/values";
import { showUsd } from "@/format/money";
import { showCount } from "@/format/number";
import { showDateTime } from "@/format/time";
import { isLanguage, languages } from "@/locale/languages";

import { type Entry, named } from "./subject";

/** The fields that entries have most often. Others are shown as the API names them. */
const labels: Record<string, MessageDescriptor> = {
  quota: msg`Quota`,
  "caps.day": msg`Daily budget`,
  "caps.week": msg`Weekly budget`,
  "caps.month": msg`Monthly budget`,
  "limits.requests_per_minute": msg`Requests per minute`,
  "limits.tokens_per_minute": msg`Tokens per minute`,
  "limits.concurrency": msg`Concurrent requests`,
  name: msg`Name`,
  status: msg`Status`,
  role: msg`Role`,
  email: msg`Email address`,
  group_id: msg`Group`,
  default_group_id: msg`Group of new members`,
  user_id: msg`User`,
  models: msg`Models`,
  addresses: msg`Allowed IPs`,
  expires_at: msg`Expires`,
  effective_from: msg`Effective from`,
  model: msg`Model`,
  amount: msg`Amount`,
  reason: msg`Reason`,
  password: msg`Password`,
  language: msg`Language`,
  priority: msg`Priority`,
  weight: msg`Weight`,
  base_url: msg`Base URL`,
  keys: msg`Credentials`,
  endpoints: msg`Dialects`,
  settings: msg`Settings`,
  channel_id: msg`Channel`,
  channels: msg`Channels`,
  thresholds: msg`Thresholds`,
  destinations: msg`Destinations`,
  secret: msg`Signing secret`,
  url: msg`URL`,
  recipients: msg`Recipients`,
  quota_mode: msg`Quota mode`,
  output_cap: msg`Output cap`,
  context_length: msg`Context length`,
  max_output: msg`Max output tokens`,
  "modalities.input": msg`Input`,
  "modalities.output": msg`Output`,
  routing: msg`Routing`,
  free: msg`Free`,
  owned_by: msg`Owned by`,
  require_second_factor: msg`Second factor required`,
  include_quota: msg`Quota in answers`,
  metadata_tags: msg`Tags from metadata`,
  ignored_fields: msg`Unsupported fields`,
  kind: msg`Kind`,
  count: msg`Number`,
  means: msg`Means`,
  scopes: msg`Permissions`,
  grant_limit: msg`Grant limit`,
  multiplier: msg`Multiplier`,
  rates: msg`Rates`,
  upstream_model: msg`Upstream model`,
  type: msg`Type`,
  on_disconnect: msg`On disconnect`,
  unpriced: msg`Unpriced charges`,
  tags: msg`Tags`,
};

/** Returns the name of a field. */
export const fieldLabel = (field: string) =>
  Object.hasOwn(labels, field) && labels[field] ? i18n._(labels[field]) : field;

/** The fields that are amounts of money. */
export const moneyFields = new Set(["quota", "caps.day", "caps.week", "caps.month", "amount", "grant_limit"]);
/** The fields that are limits, of which 0 is none. */
export const limitFields = new Set(["limits.requests_per_minute", "limits.tokens_per_minute", "limits.concurrency"]);

const amount = /^-?\d+(\.\d{1,9})?$/;
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** Reports whether a field has a value: null, the zero time and a limit of 0 are none. */
export const isNone = (field: string, value: unknown) =>
  value === null ||
  value === undefined ||
  value === "" ||
  (limitFields.has(field) && value === 0) ||
  (typeof value === "string" && value.startsWith("0001-01-01T"));

/** Describes a value that was too long for the log, which has its size and its hash instead; "" for all others. */
function shortened(value: object): string {
  if (!("sha256" in value)) return "";
  if ("count" in value) {
    const count = showCount(Number(value.count));
    return t`${count} entries`;
  }
  const bytes = showCount("bytes" in value ? Number(value.bytes) : 0);
  return t`a value of ${bytes} bytes`;
}

/** Formats a value of a field for a reader. Names replace ids where they are known. */
export function showValue(entry: Pick<Entry, "action" | "names">, field: string, value: unknown): string {
  const ofToken = entry.action.startsWith("token."); // without a list it may call all models, a group none
  if (ofToken && field === "models" && Array.isArray(value) && value.length === 0) return t`all`;
  if (field === "language" && isLanguage(value)) return languages[value];
  if (isNone(field, value)) return moneyFields.has(field) || limitFields.has(field) ? t`unlimited` : t`none`;
  if (typeof value === "boolean") return value ? t`yes` : t`no`;
  if (typeof value === "number") return showCount(value);
  if (Array.isArray(value))
    return value.length === 0 ? t`none` : value.map((one) => showValue(entry, field, one)).join(", ");
  if (typeof value === "object" && value !== null) return shortened(value) || JSON.stringify(value);
  if (typeof value !== "string") return JSON.stringify(value);
  if (moneyFields.has(field) && amount.test(value)) return showUsd(value);
  if (moment.test(value)) return showDateTime(value);
  if (field === "role" || field === "default_role") return roleName(value as Role);
  if (field === "status") return statusWord(value);
  return entry.names[value] ?? value;
}

/** One changed field, ready to be shown. `before` is undefined if the entry does not say what the field was. */
export interface Change {
  field: string;
  label: string;
  before: string | undefined;
  after: string;
}

/** Returns the changed fields of an entry. */
export const changesOf = (entry: Entry): Change[] =>
  Object.entries(entry.detail).map(([field, after]) => ({
    field,
    label: fieldLabel(field),
    before: Object.hasOwn(entry.before, field) ? showValue(entry, field, entry.before[field]) : undefined,
    after: showValue(entry, field, after),
  }));

/** Describes a changed field in one line. */
export function describeChange({ label, before, after }: Change): string {
  return before === undefined ? t`${label}: ${after}` : t`${label}: from ${before} to ${after}`;
}

/** Returns the name of a group, channel or user that a field mentions by its id. */
export function namedAt(entry: Entry, field: string): string {
  const id = entry.detail[field];
  return typeof id === "string" ? named(entry, id) : "";
}
