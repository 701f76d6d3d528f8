import "@/mantine-later.css";

import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";

const above = 400; // the z-index: this dialog can open over that of a form

/** Asks whether to leave a page although what was entered is not saved. */
export default function LeaveQuestion({
  opened,
  stay,
  leave,
}: {
  opened: boolean;
  stay: () => void;
  leave: () => void;
}) {
  return (
    <Modal opened={opened} onClose={stay} title={t`Leave without saving?`} zIndex={above} size="sm">
      <Stack>
        <Text>
          <Trans>What you entered is not saved.</Trans>
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={stay} data-autofocus>
            <Trans>Keep editing</Trans>
          </Button>
          <Button color="red" onClick={leave}>
            <Trans>Leave</Trans>
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
