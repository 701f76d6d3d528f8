import { t } from "@lingui/core/macro";
import { Anchor, Group } from "@mantine/core";

import { type Language, languages } from "./languages";
import { chooseLanguage, language } from "./messages";

/** Shows the languages of the console by their own names, for pages that need no session. */
export function LanguageLinks() {
  return (
    <Group component="nav" justify="center" gap="md" aria-label={t`Language`}>
      {(Object.keys(languages) as Language[]).map((tag) => (
        <Anchor
          key={tag}
          component="button"
          type="button"
          size="sm"
          c={tag === language() ? undefined : "dimmed"}
          lang={tag}
          aria-current={tag === language() || undefined}
          onClick={() => void chooseLanguage(tag)}
        >
          {languages[tag]}
        </Anchor>
      ))}
    </Group>
  );
}
