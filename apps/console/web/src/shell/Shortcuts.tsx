import "@/mantine-later.css";

import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Group, Kbd, Modal, Stack, Table, Text } from "@mantine/core";
import type { ReactNode } from "react";

import type { Role } from "@/api/session";

import { docsUrl } from "./docs";
import { keyedPages, modKey } from "./shortcuts";

const escape = "Esc"; // not translated: the name of a key

/** Lists the shortcuts of the console. */
export default function Shortcuts({ role, opened, close }: { role: Role; opened: boolean; close: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t`Keyboard shortcuts`}
      attributes={{ content: { "data-command": "" } }}
    >
      <Stack>
        <Table verticalSpacing={6} aria-label={t`Keyboard shortcuts`}>
          <Table.Tbody>
            <Line keys={[modKey(), "K"]}>
              <Trans>Search pages, tokens, models and requests</Trans>
            </Line>
            <Line keys={["?"]}>
              <Trans>Show this list</Trans>
            </Line>
            <Line keys={[escape]}>
              <Trans>Close a dialog</Trans>
            </Line>
            {keyedPages(role).map(({ letter, label }) => (
              <Line key={letter} keys={["g", letter]}>
                {label}
              </Line>
            ))}
          </Table.Tbody>
        </Table>
        <Text size="sm" c="dimmed">
          <Anchor inherit href={docsUrl()} target="_blank" rel="noreferrer">
            <Trans>Documentation</Trans>
          </Anchor>
          {" · "}
          <Anchor inherit href="/reference">
            <Trans>API reference</Trans>
          </Anchor>
        </Text>
      </Stack>
    </Modal>
  );
}

function Line({ keys, children }: { keys: string[]; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {children}
      </Table.Th>
      <Table.Td>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
