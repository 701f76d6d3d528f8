import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, CopyButton, Modal, Stack, Text, TextInput } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

import { linkOf } from "./link";
import classes from "./Playground.module.css";
import type { Settings } from "./settings";

/** Shows a link to the playground with the current settings. */
export function ShareLink({ opened, close, settings }: { opened: boolean; close: () => void; settings: Settings }) {
  return (
    <Modal opened={opened} onClose={close} title={t`Share the settings`} size="lg">
      {opened && <Link link={linkOf(window.location.origin, settings)} />}
    </Modal>
  );
}

function Link({ link }: { link: string | undefined }) {
  if (link === undefined)
    return (
      <Alert color="yellow">
        <Trans>The system prompt, the functions and the schema are too long for a link.</Trans>
      </Alert>
    );
  return (
    <Stack gap="sm">
      <Text c="dimmed">
        <Trans>
          The link opens the playground with these models and settings, including the system prompt, the functions and
          the schema. It contains no messages and no token. Only people with an account on this console can open it.
        </Trans>
      </Text>
      <TextInput
        aria-label={t`Link to the settings`}
        readOnly
        value={link}
        onFocus={(event) => event.currentTarget.select()}
        classNames={{ input: classes["json"] ?? "" }}
        data-autofocus
      />
      <CopyButton value={link}>
        {({ copied, copy }) => (
          <Button
            onClick={copy}
            leftSection={copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
            style={{ alignSelf: "flex-end" }}
          >
            {copied ? <Trans>Copied</Trans> : <Trans>Copy link</Trans>}
          </Button>
        )}
      </CopyButton>
    </Stack>
  );
}
