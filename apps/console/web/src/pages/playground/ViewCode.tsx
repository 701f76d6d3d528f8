import { Alert, Modal, Stack, Tabs, Text } from "@mantine/core";

import { CodeBlock } from "@/components/CodeBlock";
import { languageNames, languages } from "@/components/snippets";

import type { ModelRequest } from "./request";
import { snippet } from "./snippets";

/** Shows code that makes the next call with the current settings. */
export function ViewCode({ opened, close, base, request }: { opened: boolean; close: () => void; base: string; request: ModelRequest }) {
  return (
    <Modal opened={opened} onClose={close} title="View code" size="xl">
      <Stack gap="sm">
        <Text c="dimmed">
          This makes the next call as it is set up here. Put one of your tokens into <span className="mono">TOLLGATE_TOKEN</span>.
        </Text>
        {!base && <Alert color="yellow">The console was not told where clients reach the relay. Ask your operator for the address.</Alert>}
        <Tabs defaultValue="curl">
          <Tabs.List mb="sm">
            {languages.map((language) => (
              <Tabs.Tab key={language} value={language}>
                {languageNames[language]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {languages.map((language) => (
            <Tabs.Panel key={language} value={language}>
              <CodeBlock code={snippet(language, base || "https://relay.example", request)} label={`${languageNames[language]} code`} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </Modal>
  );
}
