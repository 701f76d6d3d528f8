import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, CopyButton, Group, Stack } from "@mantine/core";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { CodeBlock } from "@/components/CodeBlock";
import { confirm, openDialog } from "@/components/confirm";

/**
 * Asks for confirmation, then fetches the values of the tokens that an import created and shows them. The API returns
 * the values only once.
 */
export function takeTokens(id: string) {
  confirm({
    title: t`Show the tokens of this import?`,
    children: t`The values are shown only once. Have a safe place ready to store them.`,
    confirm: t`Show tokens`,
    harmless: true,
    act: async () => {
      const { items } = await ask(api.POST("/api/operator/jobs/{id}/tokens", { params: { path: { id } } }));
      void queryClient.invalidateQueries({ queryKey: ["jobs"] });
      show(items);
    },
  });
}

function show(tokens: Schema<"ImportedToken">[]) {
  openDialog((close) => ({
    title: t`Tokens`,
    size: 640,
    closeOnClickOutside: false,
    closeOnEscape: false,
    withCloseButton: false,
    children: <Values tokens={tokens} close={close} />,
  }));
}

function Values({ tokens, close }: { tokens: Schema<"ImportedToken">[]; close: () => void }) {
  const all = tokens.map(({ tenant, user, name, value }) => `${tenant}\t${user}\t${name}\t${value}`).join("\n");
  return (
    <Stack>
      <Alert color="yellow">
        <Trans>Copy the tokens now. You won’t see them again.</Trans>
      </Alert>
      {tokens.map(({ tenant, user, name, value }) => (
        <div key={value}>
          {tenant}, {user}: {name}
          <CodeBlock code={value} label={t`token ${name}`} wrap />
        </div>
      ))}
      <Group justify="flex-end" gap="xs">
        {tokens.length > 1 && (
          <CopyButton value={all}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? t`Copied` : t`Copy all`}
              </Button>
            )}
          </CopyButton>
        )}
        <Button onClick={close}>
          <Trans>I’ve saved them</Trans>
        </Button>
      </Group>
    </Stack>
  );
}
