import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconEyeOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { readWhole } from "@/api/whole";
import { CodeBlock } from "@/components/CodeBlock";
import { ButtonLink } from "@/components/links";
import { Snippets } from "@/components/Snippets";
import { useAfterDialog } from "@/components/useAfterDialog";

/** Shows the value of a new token once, with code that uses it. */
export function TokenValue({ created, close }: { created: Schema<"CreatedToken"> | undefined; close: () => void }) {
  return (
    <Modal
      opened={useAfterDialog(created !== undefined)}
      onClose={close}
      title={t`Your new token`}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      {created && <Value created={created} close={close} />}
    </Modal>
  );
}

function Value({ created, close }: { created: Schema<"CreatedToken">; close: () => void }) {
  const models = useQuery({
    queryKey: ["token-models", created.id],
    queryFn: () =>
      readWhole((query) => ask(api.GET("/api/tokens/{id}/models", { params: { path: { id: created.id }, query } }))),
  });
  const visible = models.data?.items.find((model) => model.visible);
  const name = <b>{created.name}</b>;
  return (
    <Stack>
      <Alert icon={<IconEyeOff size={18} />} color="yellow">
        <Trans>Copy the value of {name} now: you won't see it again. Store it like a password.</Trans>
      </Alert>
      <CodeBlock code={created.value} label={t`token`} wrap />
      {models.data && !visible && (
        <Alert color="red">
          <Trans>This token can't use any model. Edit its models first.</Trans>
        </Alert>
      )}
      <Text fw={600}>
        <Trans>Try it</Trans>
      </Text>
      <Snippets token={created.value} model={visible?.id ?? "MODEL"} />
      <Group justify="space-between">
        <ButtonLink variant="subtle" to="/usage-logs" search={{ token: created.id }} onClick={close}>
          <Trans>View usage logs</Trans>
        </ButtonLink>
        <Button onClick={close}>
          <Trans>I have copied it</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
