/**
 * Returns the page to open after the sign-in. Anything but a path of this console becomes "/", so that a crafted link
 * cannot lead to another site.
 */
export function destination(to: string | undefined): string {
  return to?.startsWith("/") && !/^\/[/\\]/.test(to) && !/[\t\r\n]/.test(to) ? to : "/";
}

/** The texts for the error codes with which a single sign-on returns to the sign-in page. */
const reasons: Record<string, string> = {
  off: "Single sign-on is not set up here.",
  busy: "Too many people are signing in at once. Try again in a minute.",
  unavailable: "Your identity provider does not answer. Try again later, or use another way.",
  expired: "The sign-in took too long, or was begun in another browser. Try again.",
  denied: "Your identity provider did not let you in.",
  rejected: "What your identity provider answered could not be verified. Ask your operator.",
  unverified: "Your identity provider knows no verified e-mail address of yours.",
  unknown: "Nobody here has your e-mail address. Ask an admin of your organisation to invite you.",
  unproven: "Somebody made an account for your address, but you have not accepted it. Open your invitation, or ask an admin of your organisation for one.",
  disabled: "Your account, or that of your organisation, is disabled.",
  other: "You signed in with an account that is not linked to your account here. Sign in with the linked one.",
  stale: "Your identity provider did not ask you to sign in again. Confirm in another way, or sign out and in again.",
  no_issuer: "No organisation has set up single sign-on for this address. Sign in in another way, or use the link of your organisation.",
  enforced: "Your organisation requires its own single sign-on. Enter your address and choose it, or use the link of your organisation.",
  taken: "Your account here is linked to somebody else at the identity provider. Ask an admin.",
};

/** Returns the text for the error code of a failed single sign-on; undefined without a code. */
export function reasonOf(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  return (Object.hasOwn(reasons, word) ? reasons[word] : undefined) ?? "The sign-in failed. Try again, or use another way.";
}

/** Returns the secret in the fragment of an address; undefined without one. */
export function secretOf(hash: string): string | undefined {
  const secret = hash.replace(/^#/, "");
  return secret === "" ? undefined : secret.slice(0, 100);
}

/** Returns the address that starts a single sign-on, which leads back to the page `to`. */
export const departure = (path: string, to: string, more: Record<string, string> = {}): string => `${path}?${new URLSearchParams({ return: to, ...more })}`;

/** Returns the domain of an e-mail address; undefined if it has none. */
export function domainOf(address: string): string | undefined {
  return /^[^@\s]+@([^@\s]+)$/.exec(address.trim())?.[1];
}
