import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, CopyButton, Group, Modal, SimpleGrid, Stack } from "@mantine/core";
import { IconCheck, IconCopy, IconDownload, IconEyeOff } from "@tabler/icons-react";

import { saveFile } from "@/api/save";
import { useAfterDialog } from "@/components/useAfterDialog";

const download = (codes: string[]) =>
  saveFile("tollgate-recovery-codes.txt", new Blob([`${codes.join("\n")}\n`], { type: "text/plain" }));

/** Shows new recovery codes once. */
export function RecoveryCodes({ codes, done }: { codes: string[]; done: () => void }) {
  return (
    <Stack>
      <Alert icon={<IconEyeOff size={18} />} color="yellow">
        <Trans>
          Save these codes now, where you keep your passwords. You won't see them again. Each code works once, in place
          of a code from the app.
        </Trans>
      </Alert>
      <SimpleGrid
        component="ul"
        cols={2}
        spacing="xs"
        m={0}
        p={0}
        style={{ listStyle: "none" }}
        aria-label={t`Recovery codes`}
      >
        {codes.map((code) => (
          <li key={code} className="mono">
            {code}
          </li>
        ))}
      </SimpleGrid>
      <Group justify="space-between">
        <Group gap="xs">
          <CopyButton value={codes.join("\n")}>
            {({ copied, copy }) => (
              <Button
                variant="default"
                leftSection={copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
                onClick={copy}
              >
                {copied ? <Trans>Copied</Trans> : <Trans>Copy</Trans>}
              </Button>
            )}
          </CopyButton>
          <Button variant="default" leftSection={<IconDownload size={15} />} onClick={() => download(codes)}>
            <Trans>Download</Trans>
          </Button>
        </Group>
        <Button onClick={done}>
          <Trans>I have saved them</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

/** Shows new recovery codes once, in a dialog of their own. */
export function RecoveryCodesModal({ codes, close }: { codes: string[] | undefined; close: () => void }) {
  return (
    <Modal
      opened={useAfterDialog(codes !== undefined)}
      onClose={close}
      title={t`Your recovery codes`}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {codes && <RecoveryCodes codes={codes} done={close} />}
    </Modal>
  );
}
