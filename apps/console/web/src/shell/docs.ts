import { language } from "@/locale/messages";

const repository = "https://github.com/tollgate/tollgate/blob/main";

/**
 * The list of all documents in each language. In Chinese it is a part of the README, which names the translated ones.
 */
export const lists = { en: "docs/README.md", "zh-Hans": "README.zh-Hans.md" } as const;

/** Returns the address of the documentation, in the language in use. */
export const docsUrl = () => `${repository}/${lists[language()]}`;
