/** Where to go after the sign-in: a page of this console and no other. */
export function destination(to: string | undefined): string {
  return to?.startsWith("/") && !/^\/[/\\]/.test(to) && !/[\t\r\n]/.test(to) ? to : "/";
}

const reasons: Record<string, string> = {
  off: "Single sign-on is not set up here.",
  busy: "Too many people are signing in at once. Try again in a minute.",
  unavailable: "Your identity provider does not answer. Try again later, or use another way.",
  expired: "The sign-in took too long, or was begun in another browser. Try again.",
  denied: "Your identity provider did not let you in.",
  rejected: "What your identity provider answered could not be verified. Ask your operator.",
  unverified: "Your identity provider knows no verified e-mail address of yours.",
  unknown: "Nobody here has your e-mail address. Ask an admin of your organisation to invite you.",
  disabled: "Your account, or that of your organisation, is disabled.",
  taken: "Your account here is linked to somebody else at the identity provider. Ask an admin.",
};

/** The text for the word that a sign-in elsewhere came back with; undefined where it came back with none. */
export function reasonOf(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  return (Object.hasOwn(reasons, word) ? reasons[word] : undefined) ?? "The sign-in failed. Try again, or use another way.";
}

/** The secret in an address's fragment; undefined where there is none. */
export function secretOf(hash: string): string | undefined {
  const secret = hash.replace(/^#/, "");
  return secret === "" ? undefined : secret.slice(0, 100);
}

/** The address at which a browser begins to sign in elsewhere, and comes back from to the page. */
export const departure = (path: string, to: string): string => `${path}?return=${encodeURIComponent(to)}`;
