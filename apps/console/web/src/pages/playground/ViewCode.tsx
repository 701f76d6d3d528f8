import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Modal, Stack, Tabs, Text } from "@mantine/core";
import { useState } from "react";

import { SegmentedControl } from "@/components/SegmentedControl";
import { installs, type Language, languageNames, languages } from "@/components/snippets";

import { Code } from "./Code";
import { FileContent, filesIn } from "./literal";
import { requestOf } from "./request";
import { snippet } from "./snippets";
import type { State } from "./storage";
import { settingsFor } from "./usePlayground";

const codeLabel = (language: string) => t`${language} code`;

/** The names of the languages for highlight.js. */
const highlighted: Record<Language, string> = { curl: "bash", python: "python", node: "javascript", go: "go" };

interface ViewCodeProps {
  opened: boolean;
  close: () => void;
  base: string;
  state: Pick<State, "settings" | "columns">;
}

/** Shows code that makes the next call with the current settings. */
export function ViewCode({ opened, close, base, state }: ViewCodeProps) {
  return (
    <Modal opened={opened} onClose={close} title={t`View code`} size="xl">
      {opened && <Languages base={base} state={state} />}
    </Modal>
  );
}

function Languages({ base, state: { settings, columns } }: Pick<ViewCodeProps, "base" | "state">) {
  const [column, setColumn] = useState(0);
  const request = requestOf(
    settingsFor(settings, column),
    columns[column] ?? [],
    ({ name, type }) => new FileContent(name, type),
  );
  return (
    <Stack gap="sm">
      <Text c="dimmed">
        <Trans>
          This code makes the next request with the current settings. Set <span className="mono">TOLLGATE_TOKEN</span>{" "}
          to one of your tokens.
        </Trans>
        {filesIn(request.body).length > 0 && (
          <>
            {" "}
            <Trans>It reads the images and files from the current folder.</Trans>
          </>
        )}
      </Text>
      {!base && (
        <Alert color="yellow">
          <Trans>The console doesn't know the address of the relay. Ask your operator for it.</Trans>
        </Alert>
      )}
      {columns.length > 1 && (
        <SegmentedControl
          aria-label={t`Model`}
          value={String(column)}
          onChange={(value) => setColumn(Number(value))}
          data={columns.map((_, i) => ({ value: String(i), label: settingsFor(settings, i).model }))}
        />
      )}
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
            <Stack gap="xs">
              <Code
                code={snippet(language, base || "https://relay.example", request)}
                language={highlighted[language]}
                label={codeLabel(languageNames[language])}
              />
              {installs[language] && <Install command={installs[language]} />}
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

function Install({ command }: { command: string }) {
  return (
    <Text size="sm" c="dimmed">
      <Trans>
        Requires <span className="mono">{command}</span>.
      </Trans>
    </Text>
  );
}
