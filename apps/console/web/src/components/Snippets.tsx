import { Stack, Tabs, Text } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";

import { useRelayBase } from "@/api/platform";

import { CodeBlock } from "./CodeBlock";
import { installs, languageNames, languages, snippet, type Language } from "./snippets";

/** Shows the code of a first call in four languages. The browser remembers the last selected language. */
export function Snippets({ token, model }: { token: string; model: string }) {
  const { base, known } = useRelayBase();
  const [language, setLanguage] = useLocalStorage<Language>({ key: "tollgate-language", defaultValue: "curl", getInitialValueInEffect: false });
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
            <CodeBlock code={snippet(one, { base, token, model })} label={`${languageNames[one]} code`} />
            <Text size="sm" c="dimmed">
              {installs[one] && (
                <>
                  Needs <span className="mono">{installs[one]}</span>.{" "}
                </>
              )}
              {!known && "The operator has not told the console the relay's address: put it in place of the one shown."}
            </Text>
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
