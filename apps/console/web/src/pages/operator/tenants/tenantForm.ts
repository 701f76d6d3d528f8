/** Derives a slug from a name. The result can be empty, for example if the name has no Latin letters or digits. */
export function slugOf(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60)
    .replace(/-+$/, "");
}

/** Returns the reason why a text is not a slug; null if it is one. */
export function slugFault(slug: string): string | null {
  return /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(slug) ? null : "Lower case letters, digits and hyphens, such as acme-labs.";
}

/** The quota modes with their labels. */
export const quotaModes = [
  { value: "hard", label: "Hard: a stream ends where the quota does" },
  { value: "soft", label: "Soft: a stream runs on, and is charged as far as the quota goes" },
];

/** The values of the output cap with their labels. */
export const outputCaps = [
  { value: "auto", label: "Auto: answers are limited to what is left" },
  { value: "off", label: "Off: the call is refused" },
];

/** The label of the output cap's select. */
export const outputCapLabel = "When the longest answer costs more than is left";
