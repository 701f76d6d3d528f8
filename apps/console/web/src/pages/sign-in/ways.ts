import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";

/**
 * Returns the page to open after the sign-in. Anything but a path of this console becomes "/", so that a crafted link
 * cannot lead to another site.
 */
export function destination(to: string | undefined): string {
  return to?.startsWith("/") && !/^\/[/\\]/.test(to) && !/[\t\r\n]/.test(to) ? to : "/";
}

/** The texts for the error codes with which a single sign-on returns to the sign-in page, and for an ended session. */
const reasons: Record<string, MessageDescriptor> = {
  ended: msg`Your session has ended. Sign in again.`,
  off: msg`Single sign-on is not set up here.`,
  busy: msg`Too many people are signing in at once. Try again in a minute.`,
  unavailable: msg`Your identity provider is not responding. Try again later, or sign in another way.`,
  expired: msg`The sign-in took too long, or was started in another browser. Try again.`,
  denied: msg`Your identity provider refused the sign-in.`,
  rejected: msg`The answer of your identity provider could not be verified. Contact your operator.`,
  no_email: msg`Your identity provider did not send your email address. Ask its administrator to allow the claim “email” for this console.`,
  unverified: msg`Your identity provider does not report your email address as verified. Ask your administrator for the claim “email_verified”, or “xms_edov” with Entra ID. The audit log names the setting that allows it.`,
  requirement: msg`Your account at the identity provider lacks a claim that is required here. Ask your administrator for access.`,
  unknown: msg`No account has your email address. Ask an admin of your organization to invite you.`,
  unproven: msg`An account was created for your address, but you have not accepted it yet. Open your invitation, or ask an admin of your organization for a new one.`,
  disabled: msg`Your account or your organization is disabled.`,
  other: msg`You signed in with an account that is not linked to your account here. Sign in with the linked one.`,
  stale: msg`Your identity provider did not ask you to sign in again. Confirm in another way, or sign out and in again.`,
  no_issuer: msg`No organization has set up single sign-on for this address. Sign in another way, or use the link of your organization.`,
  enforced: msg`Your organization requires its own single sign-on. Enter your address and choose it, or use the link of your organization.`,
  taken: msg`Your account here is linked to someone else at the identity provider. Ask an admin.`,
};

/** Returns the name of a claim; undefined for any other text, which a crafted link would show on the page. */
export const claimOf = (text: string | null | undefined): string | undefined =>
  text && /^[A-Za-z][A-Za-z0-9_]{0,39}$/.test(text) ? text : undefined;

/**
 * Returns the text for the error code of a failed single sign-on, with the name of the claim that it is about;
 * undefined without a code.
 */
export function reasonOf(word: string | undefined, claim?: string): string | undefined {
  if (word === undefined) return undefined;
  if (word === "requirement" && claim)
    return t`Your account at the identity provider does not have what is required here in the claim “${claim}”. Ask your administrator for access.`;
  const reason = Object.hasOwn(reasons, word) ? reasons[word] : undefined;
  return reason ? i18n._(reason) : t`The sign-in failed. Try again, or sign in another way.`;
}

/** Returns the secret in the fragment of an address; undefined without one. */
export function secretOf(hash: string): string | undefined {
  const secret = hash.replace(/^#/, "");
  return secret === "" ? undefined : secret.slice(0, 100);
}

/** Returns the address that starts a single sign-on, which leads back to the page `to`. */
export const departure = (path: string, to: string, more: Record<string, string> = {}): string =>
  `${path}?${new URLSearchParams({ return: to, ...more })}`;

/** Returns the tenant's slug; undefined for any other text, which a crafted link would show on the page. */
export const slugOf = (text: string | null): string | undefined =>
  text !== null && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text) ? text : undefined;

/** Returns the domain of an e-mail address; undefined if it has none. */
export function domainOf(address: string): string | undefined {
  return /^[^@\s]+@([^@\s]+)$/.exec(address.trim())?.[1];
}
