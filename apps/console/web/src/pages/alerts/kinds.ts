import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { showPercent } from "@/format/number";

export type Rule = Schema<"AlertRule">;
export type Kind = Rule["kind"];
export type Period = Rule["period"];

/** What a rule can watch, and in which unit its thresholds are. */
interface Watched {
  label: MessageDescriptor;
  help: MessageDescriptor;
  /** Only operators can watch it. */
  platform?: boolean;
  /** The rule is about the quota of tenants, users or tokens. */
  quota?: boolean;
  /** The thresholds that a new rule has, and the range; none if the kind has no thresholds. */
  thresholds?: { initial: number[]; least: number; most: number; label: MessageDescriptor };
}

/** All kinds of rules. */
export const watched: Record<Kind, Watched> = {
  quota_used: {
    label: msg`Quota or budget used`,
    help: msg`When a share of the quota or budget is used.`,
    quota: true,
    thresholds: { initial: [50, 80, 95, 100], least: 1, most: 100, label: msg`Percent used` },
  },
  run_out: {
    label: msg`Quota or budget runs out soon`,
    help: msg`When it will be used up within a number of days at the spend of the last week.`,
    quota: true,
    thresholds: { initial: [7, 1], least: 1, most: 90, label: msg`Days before it runs out` },
  },
  unusual_spend: {
    label: msg`Unusual spend`,
    help: msg`When the spend of today is far above the average day of the last week, and at least $1.`,
    quota: true,
    thresholds: { initial: [300], least: 110, most: 10_000, label: msg`Percent of the average day` },
  },
  credential_dead: {
    label: msg`Credential disabled`,
    help: msg`When a provider refuses a credential of a channel, so that relays no longer use it.`,
    platform: true,
  },
  model_unavailable: {
    label: msg`Model without a healthy channel`,
    help: msg`When an enabled model has no channel that works. Repeated daily.`,
    platform: true,
  },
  drift: {
    label: msg`Reconciliation differs`,
    help: msg`When usage logs, rollups, accounts and ledger do not agree.`,
    platform: true,
  },
  spool: {
    label: msg`Usage waits at a relay`,
    help: msg`When a relay cannot record usage for some time.`,
    platform: true,
    thresholds: { initial: [10, 60], least: 1, most: 1440, label: msg`Minutes of waiting` },
  },
};

/** The kinds that a user can choose. */
export const kindsFor = (operator: boolean) =>
  (Object.keys(watched) as Kind[]).filter((kind) => operator || !watched[kind].platform);

export const kindLabel = (kind: Kind) => i18n._(watched[kind].label);

/** Parses thresholds that were typed. Returns the reason if one of them is invalid. */
export function parseThresholds(kind: Kind, typed: string[]): { values: number[]; fault: string | null } {
  const range = watched[kind].thresholds;
  if (!range) return { values: [], fault: null };
  const values = typed.map(Number);
  const { least, most } = range;
  const wrong =
    values.length === 0 ||
    values.length > 8 ||
    values.some((value) => !Number.isInteger(value) || value < least || value > most);
  return { values, fault: wrong ? t`Enter 1 to 8 whole numbers between ${least} and ${most}.` : null };
}

/** Describes the thresholds of a rule, such as "50%, 80%". */
export function describeThresholds({ kind, thresholds }: Pick<Rule, "kind" | "thresholds">): string {
  return thresholds
    .map((value) => {
      if (kind === "run_out") return plural(value, { one: "# day", other: "# days" });
      if (kind === "spool") return plural(value, { one: "# minute", other: "# minutes" });
      return showPercent(value / 100);
    })
    .join(", ");
}

const subjects = {
  all: { tenant: msg`each organization`, user: msg`each user`, token: msg`each token` },
  one: { tenant: msg`one organization`, user: msg`one user`, token: msg`one token` },
};

const periods: Record<Period, MessageDescriptor> = {
  lifetime: msg`quota`,
  day: msg`daily budget`,
  week: msg`weekly budget`,
  month: msg`monthly budget`,
};

/** Returns the choices of a period. */
export const periodChoices = () =>
  (Object.keys(periods) as Period[]).map((value) => ({ value, label: i18n._(periods[value]) }));

/** Describes whose quota a rule watches. `own` is set for rules of a tenant, whose only organization is its own. */
export function describeSubject(
  { subject, subject_id, period }: Pick<Rule, "subject" | "subject_id" | "period">,
  own: boolean,
): string {
  if (!subject) return t`the platform`;
  const who =
    own && subject === "tenant" ? t`your organization` : i18n._(subjects[subject_id ? "one" : "all"][subject]);
  const what = i18n._(periods[period]);
  return t`${who}, ${what}`;
}
