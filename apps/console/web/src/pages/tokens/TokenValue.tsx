import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconEyeOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { CodeBlock } from "@/components/CodeBlock";
import { ButtonLink } from "@/components/links";
import { Snippets } from "@/components/Snippets";
import { useAfterDialog } from "@/components/useAfterDialog";

/** Shows the value of a new token once, with code that uses it. */
export function TokenValue({ created, close }: { created: Schema<"CreatedToken"> | undefined; close: () => void }) {
  return (
    <Modal opened={useAfterDialog(created !== undefined)} onClose={close} title="Your new token" size="lg" closeOnClickOutside={false} closeButtonProps={{ "aria-label": "Close" }}>
      {created && <Value created={created} close={close} />}
    </Modal>
  );
}

function Value({ created, close }: { created: Schema<"CreatedToken">; close: () => void }) {
  const models = useQuery({ queryKey: ["token-models", created.id], queryFn: () => ask(api.GET("/api/tokens/{id}/models", { params: { path: { id: created.id } } })) });
  const visible = models.data?.items.find((model) => model.visible);
  return (
    <Stack>
      <Alert icon={<IconEyeOff size={18} />} color="yellow">
        This is the only time that the value of {created.name} is shown. Copy it now and keep it as you keep a password.
      </Alert>
      <CodeBlock code={created.value} label="token" wrap />
      {models.data && !visible && <Alert color="red">This token sees no model. Edit its models before you call with it.</Alert>}
      <Text fw={600}>Try it</Text>
      <Snippets token={created.value} model={visible?.id ?? "MODEL"} />
      <Group justify="space-between">
        <ButtonLink variant="subtle" to="/usage-logs" search={{ token: created.id }} onClick={close}>
          See its usage logs
        </ButtonLink>
        <Button onClick={close}>I have copied it</Button>
      </Group>
    </Stack>
  );
}
