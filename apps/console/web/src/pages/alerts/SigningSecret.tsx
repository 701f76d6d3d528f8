import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconEyeOff } from "@tabler/icons-react";

import { CodeBlock } from "@/components/CodeBlock";
import { useAfterDialog } from "@/components/useAfterDialog";

/** Shows the signing secret of a webhook once. */
export function SigningSecret({ secret, close }: { secret: string | undefined; close: () => void }) {
  return (
    <Modal
      opened={useAfterDialog(secret !== undefined)}
      onClose={close}
      title={t`Signing secret`}
      closeOnClickOutside={false}
      closeOnEscape={false}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <Stack>
        <Alert icon={<IconEyeOff size={18} />} color="yellow">
          <Trans>Copy the secret now. It is not shown again.</Trans>
        </Alert>
        {secret && <CodeBlock code={secret} label={t`signing secret`} wrap />}
        <Text size="sm" c="dimmed">
          <Trans>With it, your program verifies that a webhook comes from here. The documentation describes how.</Trans>
        </Text>
        <Group justify="flex-end">
          <Button onClick={close}>
            <Trans>Done</Trans>
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
