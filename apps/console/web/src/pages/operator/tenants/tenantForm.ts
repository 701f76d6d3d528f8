import { t } from "@lingui/core/macro";

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
  return /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(slug)
    ? null
    : t`Use lower-case letters, digits and hyphens, such as acme-labs.`;
}

/** Returns the quota modes with their labels. */
export const quotaModes = () => [
  { value: "hard", label: t`Hard: the stream ends` },
  { value: "soft", label: t`Soft: the stream continues, and is charged up to the quota` },
];

/** Returns the values of the output cap with their labels. */
export const outputCaps = () => [
  { value: "auto", label: t`Auto: limit the response to the remaining quota` },
  { value: "off", label: t`Off: refuse the request` },
];

/** Returns the label of the output cap's select. */
export const outputCapLabel = () => t`When the longest possible response costs more than the remaining quota`;

/** Returns the values of the setting for unsupported fields with their labels. */
export const ignoredFields = () => [
  { value: "report", label: t`Ignore them, and list them in the response` },
  { value: "refuse", label: t`Refuse the request` },
];

/** Returns the label of the setting for unsupported fields. */
export const ignoredFieldsLabel = () => t`Unsupported fields`;
