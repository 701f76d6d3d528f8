import { Alert, Button, CopyButton, Group, Stack } from "@mantine/core";
import { modals } from "@mantine/modals";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { CodeBlock } from "@/components/CodeBlock";
import { confirm } from "@/components/confirm";

/**
 * Asks for confirmation, then fetches the values of the tokens that an import created and shows them. The API returns
 * the values only once.
 */
export function takeTokens(id: string) {
  confirm({
    title: "Show the tokens of this import?",
    children: "Their values are shown once, and cannot be read afterwards. Have a safe place for them at hand.",
    confirm: "Show them",
    harmless: true,
    act: async () => {
      const { items } = await ask(api.POST("/api/operator/jobs/{id}/tokens", { params: { path: { id } } }));
      void queryClient.invalidateQueries({ queryKey: ["jobs"] });
      show(items);
    },
  });
}

function show(tokens: Schema<"ImportedToken">[]) {
  const id = modals.open({
    title: "Tokens",
    size: 640,
    closeOnClickOutside: false,
    closeOnEscape: false,
    withCloseButton: false,
    children: <Values tokens={tokens} close={() => modals.close(id)} />,
  });
}

function Values({ tokens, close }: { tokens: Schema<"ImportedToken">[]; close: () => void }) {
  const all = tokens.map(({ tenant, user, name, value }) => `${tenant}\t${user}\t${name}\t${value}`).join("\n");
  return (
    <Stack>
      <Alert color="yellow">Copy them now: they are not shown again.</Alert>
      {tokens.map(({ tenant, user, name, value }) => (
        <div key={value}>
          {tenant}, {user}: {name}
          <CodeBlock code={value} label={`token ${name}`} wrap />
        </div>
      ))}
      <Group justify="flex-end" gap="xs">
        {tokens.length > 1 && <CopyButton value={all}>{({ copied, copy }) => <Button variant="default" onClick={copy}>{copied ? "Copied" : "Copy all"}</Button>}</CopyButton>}
        <Button onClick={close}>I have kept them</Button>
      </Group>
    </Stack>
  );
}
