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
    <Modal opened={useAfterDialog(made !== undefined)} onClose={close} title={made?.title} closeOnClickOutside={false} size="lg">
      {made && <Content {...made} close={close} />}
    </Modal>
  );
}

function Content({ email, link, purpose, close }: CreatedLink & { close: () => void }) {
  return (
    <Stack>
      {link.mailed && (
        <Alert color="green" icon={<IconMailForward size={18} />}>
          A link is on its way to <b>{email}</b>.
        </Alert>
      )}
      {link.link !== null && (
        <>
          <Text>
            Give this link to <b>{email}</b> on a safe way. It is shown this once.
          </Text>
          <CodeBlock code={absolute(link.link, window.location.origin)} label="link" wrap />
        </>
      )}
      {!link.mailed && link.link === null && (
        <Alert color="red" role="alert">
          The mail could not be queued. Try again in a minute.
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        {purpose} It ends <Moment at={link.expires_at} />.
      </Text>
      <Group justify="flex-end">
        <Button onClick={close}>Done</Button>
      </Group>
    </Stack>
  );
}
