import "@/mantine-later.css";

import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";

import type { Loss } from "@/components/unsaved";

const above = 400; // the z-index: this dialog can open over that of a form

/** Asks whether to leave a page although what was entered is not saved, or although work or an answer still runs. */
export default function LeaveQuestion({
  opened,
  loss,
  stay,
  leave,
}: {
  opened: boolean;
  loss: Loss;
  stay: () => void;
  leave: () => void;
}) {
  const running = loss !== "values";
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
          {
            {
              values: <Trans>What you entered is not saved.</Trans>,
              work: <Trans>What has begun is completed. The rest is not started.</Trans>,
              answer: <Trans>The rest of the answer is not written.</Trans>,
            }[loss]
          }
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
