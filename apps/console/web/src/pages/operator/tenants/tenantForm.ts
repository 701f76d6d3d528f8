/** A slug made of a name: what the API takes, as far as the name gives it. */
export function slugOf(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60)
    .replace(/-+$/, "");
}

/** Says why a text is no slug; null where it is one. */
export function slugFault(slug: string): string | null {
  return /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(slug) ? null : "Lower case letters, digits and hyphens, such as acme-labs.";
}

export const quotaModes = [
  { value: "hard", label: "Hard: a stream ends where the quota does" },
  { value: "soft", label: "Soft: a stream runs on, and is charged as far as the quota goes" },
];
