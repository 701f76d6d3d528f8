import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconMailForward } from "@tabler/icons-react";
import type { ReactNode } from "react";

import type { Schema } from "@/api/client";
import { CodeBlock } from "@/components/CodeBlock";
import { Moment } from "@/components/values";
import { useAfterDialog } from "@/components/useAfterDialog";

import { absolute } from "./link";

/**
 * A new link for one person, such as an invitation. The console stores only a hash of its secret, so it is shown
 * once.
 */
export interface CreatedLink {
  title: string;
  /** The e-mail address of the recipient. */
  email: string;
  link: Pick<Schema<"MadeInvitation">, "mailed" | "link" | "expires_at">;
  /** Explains what the link does. */
  purpose: ReactNode;
}

/** Shows a new link once, or reports that the console sent it by e-mail. */
export function CreatedLinkModal({ made, close }: { made: CreatedLink | undefined; close: () => void }) {
  return (
    <Modal
      opened={useAfterDialog(made !== undefined)}
      onClose={close}
      title={made?.title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      size="lg"
    >
      {made && <Content {...made} close={close} />}
    </Modal>
  );
}

function Content({ email, link, purpose, close }: CreatedLink & { close: () => void }) {
  return (
    <Stack>
      {link.mailed && (
        <Alert color="green" icon={<IconMailForward size={18} />}>
          <Trans>
            The link is being sent to <b>{email}</b>.
          </Trans>
        </Alert>
      )}
      {link.link !== null && (
        <>
          <Text>
            <Trans>
              Send this link to <b>{email}</b> securely. You won't see it again.
            </Trans>
          </Text>
          <CodeBlock code={absolute(link.link, window.location.origin)} label={t`link`} wrap />
        </>
      )}
      {!link.mailed && link.link === null && (
        <Alert color="red" role="alert">
          <Trans>The email could not be queued. Try again in a minute.</Trans>
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        {purpose}{" "}
        <Trans>
          The link expires <Moment at={link.expires_at} />.
        </Trans>
      </Text>
      <Group justify="flex-end">
        <Button onClick={close}>
          <Trans>Done</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
