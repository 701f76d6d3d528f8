import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Stack, Tabs, Text } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";

import { useRelayBase } from "@/api/platform";

import { CodeBlock } from "./CodeBlock";
import { installs, languageNames, languages, snippet, type Language } from "./snippets";

function codeLabel(language: Language): string {
  const name = languageNames[language];
  return t`${name} code`;
}

function Install({ command }: { command: string }) {
  return (
    command && (
      <>
        <Trans>
          Requires <span className="mono">{command}</span>.
        </Trans>{" "}
      </>
    )
  );
}

/** Shows the code of a first call in four languages. The browser remembers the last selected language. */
export function Snippets({ token, model }: { token: string; model: string }) {
  const { base, known } = useRelayBase();
  const [language, setLanguage] = useLocalStorage<Language>({
    key: "tollgate-language",
    defaultValue: "curl",
    getInitialValueInEffect: false,
  });
  return (
    <Tabs value={language} onChange={(value) => setLanguage(languages.find((one) => one === value) ?? "curl")}>
      <Tabs.List mb="sm">
        {languages.map((one) => (
          <Tabs.Tab key={one} value={one}>
            {languageNames[one]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {languages.map((one) => (
        <Tabs.Panel key={one} value={one}>
          <Stack gap="xs">
            <CodeBlock code={snippet(one, { base, token, model })} label={codeLabel(one)} />
            <Text size="sm" c="dimmed">
              <Install command={installs[one]} />
              {!known && (
                <>
                  <Trans>The relay's address is not configured: replace the one shown.</Trans>{" "}
                </>
              )}
              <Anchor href="/reference" inherit underline="always">
                <Trans>API reference</Trans>
              </Anchor>
            </Text>
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
