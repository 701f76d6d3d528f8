import "@/mantine-later.css";

import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";

const above = 400; // the z-index: this dialog can open over that of a form

/** Asks whether to leave a page although what was entered is not saved, or although work still runs. */
export default function LeaveQuestion({
  opened,
  running,
  stay,
  leave,
}: {
  opened: boolean;
  running: boolean;
  stay: () => void;
  leave: () => void;
}) {
  return (
    <Modal
      opened={opened}
      onClose={stay}
      title={running ? t`Stop and leave?` : t`Leave without saving?`}
      zIndex={above}
      size="sm"
    >
      <Stack>
        <Text>
          {running ? (
            <Trans>What has begun is completed. The rest is not started.</Trans>
          ) : (
            <Trans>What you entered is not saved.</Trans>
          )}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={stay} data-autofocus>
            {running ? <Trans>Stay</Trans> : <Trans>Keep editing</Trans>}
          </Button>
          <Button color="red" onClick={leave}>
            <Trans>Leave</Trans>
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
