import "@/mantine-later.css";

import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Group, Modal, Stack, Text } from "@mantine/core";

import { SignInAgain } from "./SignInAgain";

const above = 500; // the z-index: this dialog can open over any other

/** The dialog over a page whose session has ended. */
export default function SessionEnded({
  opened,
  email,
  discard,
}: {
  opened: boolean;
  email: string;
  discard: () => void;
}) {
  return (
    <Modal
      opened={opened}
      onClose={() => undefined}
      title={t`Your session has ended`}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={above}
      size="sm"
    >
      <Stack>
        <Text>
          <Trans>Sign in again to continue. What you entered is still here.</Trans>
        </Text>
        <SignInAgain email={email} />
        <Group justify="center">
          <Anchor component="button" type="button" size="sm" c="dimmed" onClick={discard}>
            <Trans>Discard changes and sign in as someone else</Trans>
          </Anchor>
        </Group>
      </Stack>
    </Modal>
  );
}
