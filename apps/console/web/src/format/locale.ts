import { formatTags } from "@/locale/languages";
import { language } from "@/locale/messages";

/**
 * Returns a function that returns the formatter of the language in use. Each formatter is made once: making one takes
 * far longer than formatting.
 */
export function perLanguage<Formatter>(kind: "number" | "date", make: (tag: string) => Formatter): () => Formatter {
  const made = new Map<string, Formatter>();
  return () => {
    const tag = formatTags[language()][kind];
    let formatter = made.get(tag);
    if (!formatter) made.set(tag, (formatter = make(tag)));
    return formatter;
  };
}
