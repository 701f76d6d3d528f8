import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";

import type { Action } from "./subject";

/** The kinds of resources, by the first part of the names of actions. */
type Kind = Action extends `${infer First}.${string}` ? First : never;

/** Events have choices of their own. */
const events: Partial<Record<Action | Kind, MessageDescriptor>> = {
  "session.create": msg`Sign-ins`,
  "session.refused": msg`Refused sign-ins`,
  "session.confirm": msg`Confirmations`,
  "request.refused": msg`Refused requests`,
  "tenant.read": msg`Access by operators`,
  "access_key.use": msg`First uses of access keys`,
  audit_log: msg`Gaps in this log`,
};

type EventKind = "request" | "audit_log";

const tenantKinds = {
  access_key: msg`Access key`,
  alert: msg`Alert`,
  alert_destination: msg`Alert destination`,
  alert_rule: msg`Alert rule`,
  identity: msg`Identity`,
  invitation: msg`Invitation`,
  issuer: msg`Identity provider`,
  job: msg`Job`,
  passkey: msg`Passkey`,
  password_reset: msg`Password reset`,
  quota: msg`Quota`,
  recovery_code: msg`Recovery code`,
  recovery_codes: msg`Recovery codes`,
  session: msg`Session`,
  tenant: msg`Tenant`,
  token: msg`Token`,
  totp: msg`Authenticator app`,
  user: msg`User`,
} satisfies Partial<Record<Kind, MessageDescriptor>>;

const platformKinds: Record<Exclude<Kind, keyof typeof tenantKinds | EventKind>, MessageDescriptor> = {
  billing_account: msg`Billing account`,
  channel: msg`Channel`,
  channel_cost: msg`Channel cost`,
  group: msg`Group`,
  model: msg`Model`,
  price: msg`Price`,
  price_catalog: msg`Price catalog`,
  rule: msg`Price rule`,
};

const choices = (labels: Record<string, MessageDescriptor>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label: i18n._(label) }));

/** Returns the choices of the filter by action: events, and everything that happened to objects of a kind. */
export const actionChoices = (of: "tenant" | "platform") => [
  { group: t`Events`, items: choices(events) },
  {
    group: t`All actions on`,
    items: choices({ ...tenantKinds, ...(of === "platform" && platformKinds) }).toSorted((a, b) =>
      a.label.localeCompare(b.label),
    ),
  },
];
