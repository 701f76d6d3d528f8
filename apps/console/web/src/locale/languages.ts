/** The languages of the console by their tag (BCP 47), with their own names. */
export const languages = {
  en: "English", // not translated: its own name
  "zh-Hans": "简体中文",
} as const;

/** The tag of a language of the console. */
export type Language = keyof typeof languages;

/**
 * The tags for formats of numbers and dates. English dates put the day first and name the month, which all readers
 * understand.
 */
export const formatTags: Record<Language, { number: string; date: string }> = {
  en: { number: "en-US", date: "en-GB" },
  "zh-Hans": { number: "zh-CN", date: "zh-CN" },
};

/** Reports whether a text is the tag of a language of the console. */
export const isLanguage = (tag: unknown): tag is Language => typeof tag === "string" && Object.hasOwn(languages, tag);

/**
 * Returns the language of the console that is nearest to a tag of a browser, such as "zh-CN"; undefined if there is
 * none.
 */
function nearest(tag: string): Language | undefined {
  const primary = tag.toLowerCase().split("-")[0];
  return (Object.keys(languages) as Language[]).find((language) => language.split("-")[0] === primary);
}

/**
 * Returns the language to use: the chosen one, else the first of the browser's languages that the console has, else
 * English.
 */
export function preferred(chosen: string | null | undefined, browser: readonly string[]): Language {
  if (isLanguage(chosen)) return chosen;
  for (const tag of browser) {
    const language = nearest(tag);
    if (language) return language;
  }
  return "en";
}
