import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";

import { showUsd } from "@/format/money";
import { showDateTime } from "@/format/time";

import { changesOf, describeChange, namedAt } from "./fields";
import { type Action, type Entry, numberAt, type Subject, subjectOf, textAt } from "./subject";
import { saysAll, updateSentence } from "./updates";

type Sentence = (subject: Subject) => string;

/** Returns an amount without its sign. */
const amountOf = ({ entry }: Subject) => showUsd(textAt(entry, "amount").replace(/^-/, "") || "0");
const isTaken = ({ entry }: Subject) => textAt(entry, "amount").startsWith("-");
const dateOf = ({ entry }: Subject) => showDateTime(textAt(entry, "effective_from") || entry.created_at);

/** Reports whether a version takes effect later than it was created. */
const isLater = ({ entry }: Subject) =>
  Date.parse(textAt(entry, "effective_from") || entry.created_at) - Date.parse(entry.created_at) > 60_000;

const jobs: Record<string, MessageDescriptor> = {
  usage_export: msg`export of usage logs`,
  price_simulation: msg`price simulation`,
  catalogue_import: msg`import of a manifest`,
};
const jobOf = ({ entry }: Subject) => {
  const kind = textAt(entry, "kind");
  return Object.hasOwn(jobs, kind) && jobs[kind] ? i18n._(jobs[kind]) : kind;
};

const means: Record<string, MessageDescriptor> = {
  password: msg`a password`,
  code: msg`a code of the second factor`,
  passkey: msg`a passkey`,
  oidc: msg`single sign-on`,
  tenant_issuer: msg`the identity provider of the organization`,
  invitation: msg`an invitation`,
};
const meansOf = ({ entry }: Subject) => {
  const used = textAt(entry, "means");
  return Object.hasOwn(means, used) && means[used] ? i18n._(means[used]) : used;
};

/** The sentence of every action that the API can list. */
const sentences: Record<Action, Sentence> = {
  "access_key.create": ({ actor, name }) => t`${actor} created access key ${name}`,
  "access_key.revoke": ({ actor, name }) => t`${actor} revoked access key ${name}`,
  "access_key.use": ({ actor, name, entry: { address } }) =>
    address
      ? t`${actor} used access key ${name} from ${address} for the first time that day`
      : t`${actor} used access key ${name} for the first time that day`,
  "alert.retry": ({ actor }) => t`${actor} sent an alert again`,
  "alert_destination.create": ({ actor, name }) => t`${actor} created alert destination ${name}`,
  "alert_destination.delete": ({ actor, name }) => t`${actor} deleted alert destination ${name}`,
  "alert_destination.test": ({ actor, name }) => t`${actor} sent a test alert to ${name}`,
  "alert_destination.update": ({ actor, name, entry }) => updateSentence(entry, actor, t`alert destination ${name}`),
  "alert_rule.create": ({ actor, name }) => t`${actor} created alert rule ${name}`,
  "alert_rule.delete": ({ actor, name }) => t`${actor} deleted alert rule ${name}`,
  "alert_rule.update": ({ actor, name, entry }) => updateSentence(entry, actor, t`alert rule ${name}`),
  "audit_log.lost": ({ entry }) =>
    plural(numberAt(entry, "count"), { one: "# event could not be recorded", other: "# events could not be recorded" }),
  "audit_log.prune": ({ entry }) =>
    plural(numberAt(entry, "entries"), {
      one: "# old entry of this log was deleted",
      other: "# old entries of this log were deleted",
    }),
  "billing_account.create": ({ actor, name }) => t`${actor} created billing account ${name}`,
  "billing_account.delete": ({ actor, name }) => t`${actor} deleted billing account ${name}`,
  "billing_account.fetch": ({ actor, name }) => t`${actor} asked for the charges of billing account ${name}`,
  "billing_account.update": ({ actor, name, entry }) => updateSentence(entry, actor, t`billing account ${name}`),
  "billing_account.upload": ({ actor, name, entry }) => {
    const days = numberAt(entry, "days");
    return plural(days, {
      one: `${actor} uploaded the charges of # day for billing account ${name}`,
      other: `${actor} uploaded the charges of # days for billing account ${name}`,
    });
  },
  "channel.create": ({ actor, name }) => t`${actor} created channel ${name}`,
  "channel.credential.disable": ({ actor, name }) => t`${actor} disabled a credential of channel ${name}`,
  "channel.credential.enable": ({ actor, name }) => t`${actor} enabled a credential of channel ${name}`,
  "channel.test": ({ actor, name, entry }) =>
    entry.target
      ? t`${actor} called the upstream of channel ${name}`
      : t`${actor} called the upstream of a new channel`,
  "channel.update": ({ actor, name, entry }) => updateSentence(entry, actor, t`channel ${name}`),
  "channel_cost.create": (subject) => {
    const [{ actor, entry }, date] = [subject, dateOf(subject)];
    const [model, channel] = [textAt(entry, "upstream_model"), namedAt(entry, "channel_id")];
    return isLater(subject)
      ? t`${actor} set the cost of ${model} on channel ${channel} from ${date}`
      : t`${actor} set the cost of ${model} on channel ${channel}`;
  },
  "channel_cost.withdraw": (subject) => {
    const [{ actor, entry }, date] = [subject, dateOf(subject)];
    const [model, channel] = [textAt(entry, "upstream_model"), namedAt(entry, "channel_id")];
    return t`${actor} withdrew the cost of ${model} on channel ${channel} that was planned for ${date}`;
  },
  "group.create": ({ actor, name }) => t`${actor} created group ${name}`,
  "group.update": ({ actor, name, entry }) => updateSentence(entry, actor, t`group ${name}`),
  "identity.link": ({ actor, name, entry }) => {
    const issuer = textAt(entry, "issuer");
    return t`${actor} linked ${name} to an account at ${issuer}`;
  },
  "identity.unlink": ({ actor, name, entry }) => {
    const issuer = textAt(entry, "issuer");
    return t`${actor} unlinked ${name} from an account at ${issuer}`;
  },
  "invitation.accept": ({ name }) => t`${name} accepted an invitation`,
  "invitation.create": ({ actor, name }) => t`${actor} invited ${name}`,
  "invitation.resend": ({ actor, name }) => t`${actor} sent the invitation of ${name} again`,
  "invitation.revoke": ({ actor, name }) => t`${actor} revoked the invitation of ${name}`,
  "issuer.approve": ({ actor, name }) => t`${actor} changed what the identity provider of ${name} may do`,
  "issuer.delete": ({ actor, name }) => t`${actor} removed the identity provider of ${name}`,
  "issuer.set": ({ actor, name }) => t`${actor} set the identity provider of ${name}`,
  "job.cancel": (subject) => {
    const [{ actor }, job] = [subject, jobOf(subject)];
    return t`${actor} canceled a job: ${job}`;
  },
  "job.create": (subject) => {
    const [{ actor }, job] = [subject, jobOf(subject)];
    return t`${actor} started a job: ${job}`;
  },
  "job.reveal": (subject) => {
    const [{ actor }, job] = [subject, jobOf(subject)];
    return t`${actor} viewed the new tokens of a job: ${job}`;
  },
  "model.create": ({ actor, name }) => t`${actor} created model ${name}`,
  "model.update": ({ actor, name, entry }) => updateSentence(entry, actor, t`model ${name}`),
  "passkey.create": ({ actor, name }) => t`${actor} added passkey ${name}`,
  "passkey.delete": ({ actor }) => t`${actor} deleted a passkey`,
  "passkey.update": ({ actor, name }) => t`${actor} renamed a passkey to ${name}`,
  "password_reset.create": ({ actor, name }) => t`${actor} created a link to reset the password of ${name}`,
  "price.create": (subject) => {
    const [{ actor, entry }, date] = [subject, dateOf(subject)];
    const model = textAt(entry, "model");
    return isLater(subject)
      ? t`${actor} set a new price of ${model} from ${date}`
      : t`${actor} set a new price of ${model}`;
  },
  "price.withdraw": (subject) => {
    const [{ actor, entry }, date] = [subject, dateOf(subject)];
    const model = textAt(entry, "model");
    return t`${actor} withdrew the price of ${model} that was planned for ${date}`;
  },
  "price_catalog.remove": ({ actor }) => t`${actor} removed the uploaded price catalog`,
  "price_catalog.replace": ({ actor }) => t`${actor} replaced the price catalog`,
  "quota.adjustment": (subject) => {
    const [{ actor, name }, amount] = [subject, amountOf(subject)];
    return isTaken(subject)
      ? t`${actor} lowered the granted quota of ${name} by ${amount}`
      : t`${actor} raised the granted quota of ${name} by ${amount}`;
  },
  "quota.grant": (subject) => {
    const [{ actor, name }, amount] = [subject, amountOf(subject)];
    return t`${actor} granted ${amount} to ${name}`;
  },
  "quota.transfer": (subject) => {
    const [{ actor, name }, amount] = [subject, amountOf(subject)];
    return isTaken(subject)
      ? t`${actor} transferred ${amount} away from ${name}`
      : t`${actor} transferred ${amount} to ${name}`;
  },
  "recovery_code.use": ({ actor, name }) =>
    actor === name ? t`${name} used a recovery code` : t`A recovery code of ${name} was used`,
  "recovery_codes.replace": ({ actor }) => t`${actor} created new recovery codes`,
  "request.refused": ({ actor, entry }) =>
    plural(numberAt(entry, "count"), {
      one: `# request of ${actor} was refused`,
      other: `# requests of ${actor} were refused`,
    }),
  "rule.create": (subject) => {
    const { actor, entry } = subject;
    const [model, group, date] = [textAt(entry, "model"), namedAt(entry, "group_id"), dateOf(subject)];
    if (!model)
      return isLater(subject)
        ? t`${actor} set a new price rule of group ${group} for all models from ${date}`
        : t`${actor} set a new price rule of group ${group} for all models`;
    return isLater(subject)
      ? t`${actor} set a new price rule of group ${group} for ${model} from ${date}`
      : t`${actor} set a new price rule of group ${group} for ${model}`;
  },
  "rule.withdraw": (subject) => {
    const { actor, entry } = subject;
    const [model, group, date] = [textAt(entry, "model"), namedAt(entry, "group_id"), dateOf(subject)];
    return model
      ? t`${actor} withdrew the price rule of group ${group} for ${model} that was planned for ${date}`
      : t`${actor} withdrew the price rule of group ${group} for all models that was planned for ${date}`;
  },
  "session.confirm": (subject) => {
    const [{ actor }, proof] = [subject, meansOf(subject)];
    return proof ? t`${actor} confirmed their identity with ${proof}` : t`${actor} confirmed their identity`;
  },
  "session.create": (subject) => {
    const [{ actor }, proof] = [subject, meansOf(subject)];
    return proof ? t`${actor} signed in with ${proof}` : t`${actor} signed in`;
  },
  "session.delete": ({ actor, name, entry }) => {
    const ended = entry.detail["session_ids"];
    const count = Array.isArray(ended) ? ended.length : 1;
    if (actor === name)
      return plural(count, {
        one: `${actor} ended # session of their own`,
        other: `${actor} ended # sessions of their own`,
      });
    return plural(count, { one: `${actor} ended # session of ${name}`, other: `${actor} ended # sessions of ${name}` });
  },
  "session.refused": ({ entry }) =>
    plural(numberAt(entry, "count"), { one: "# sign-in was refused", other: "# sign-ins were refused" }),
  "tenant.create": ({ actor, name }) => t`${actor} created tenant ${name}`,
  "tenant.erase": ({ actor }) => t`${actor} erased the tenant and the personal data of its users`,
  "tenant.read": ({ actor, name }) => t`${actor} viewed data of ${name}`,
  "tenant.update": ({ actor, name, entry }) => updateSentence(entry, actor, t`tenant ${name}`),
  "token.create": ({ actor, name }) => t`${actor} created token ${name}`,
  "token.update": ({ actor, name, entry }) => updateSentence(entry, actor, t`token ${name}`),
  "totp.begin": ({ actor }) => t`${actor} began to set up an authenticator app`,
  "totp.confirm": ({ actor }) => t`${actor} set up an authenticator app`,
  "totp.delete": ({ actor }) => t`${actor} removed their authenticator app`,
  "user.create": ({ actor, name }) => t`${actor} created user ${name}`,
  "user.erase": ({ actor, name }) => t`${actor} erased the personal data of user ${name}`,
  "user.prove_email": ({ name }) => t`${name} proved that the address is theirs`,
  "user.release_email": ({ name, entry }) => {
    const email = textAt(entry, "email") || name;
    return t`${email} was taken from an account that had not proved it`;
  },
  "user.reset_factors": ({ actor, name }) => t`${actor} reset the second factors of ${name}`,
  "user.take_over": ({ name }) =>
    t`${name} took the account over: earlier passwords, factors and sessions were removed`,
  "user.update": ({ actor, name, entry }) =>
    actor === name ? updateSentence(entry, actor, t`their own account`) : updateSentence(entry, actor, t`user ${name}`),
};

/** The actions whose sentence leaves out the changed fields. */
const isUpdate = (action: Action) => action.endsWith(".update") && action !== "passkey.update";

/**
 * Describes an entry in one sentence without a full stop. An action that is newer than this console is shown by its
 * name.
 */
export function sentenceOf(entry: Entry): string {
  const subject = subjectOf(entry);
  const sentence = Object.hasOwn(sentences, entry.action) ? sentences[entry.action] : undefined;
  const { action, target } = entry;
  return sentence ? sentence(subject) : t`${subject.actor}: ${action} ${target}`;
}

/** Returns what an event counted, such as the accounts of refused sign-ins and the reasons. */
function countedIn({ detail }: Entry): string {
  const counted = [detail["accounts"] ?? detail["requests"], detail["reasons"]];
  return counted
    .flatMap((texts) => (typeof texts === "object" && texts !== null ? Object.keys(texts) : []))
    .join(" · ");
}

/** Returns what the sentence of the entry leaves out, in a line: changed fields, or what an event counted. */
export function restOf(entry: Entry): string {
  if (!isUpdate(entry.action)) return countedIn(entry);
  return saysAll(entry) ? "" : changesOf(entry).map(describeChange).join(" · ");
}

/** All actions, for tests. */
export const allActions = Object.keys(sentences) as Action[];
