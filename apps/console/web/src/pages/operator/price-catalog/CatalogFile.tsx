import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Card, FileButton, Group, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconFileUpload } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";

import { api, ask } from "@/api/client";
import { confirm } from "@/components/confirm";
import { DescriptionList } from "@/components/DescriptionList";
import { FormError } from "@/components/form";
import { ErrorState, LoadingState } from "@/components/states";
import { Moment } from "@/components/values";
import { showBytes, showCount } from "@/format/number";

import { fileQuery } from "./queries";

const maxBytes = 4 << 20;

/** Shows the file that applies, and replaces it. */
export function CatalogFile() {
  const client = useQueryClient();
  const file = useQuery(fileQuery);
  const refresh = () => client.invalidateQueries({ queryKey: ["operator", "price-catalog"] });
  const reset = useRef<() => void>(null);
  const upload = useMutation({
    mutationFn: async (chosen: File) => {
      const { name, size } = chosen;
      const most = showBytes(maxBytes);
      if (size > maxBytes) throw new Error(t`${name} is too large. A price catalog can have up to ${most}.`);
      return ask(api.PUT("/api/operator/price-catalog", { body: { file: await chosen.text() } }));
    },
    onSettled: () => reset.current?.(), // the same file can be chosen again
    onSuccess: async ({ entries }) => {
      await refresh();
      notifications.show({
        color: "green",
        message: t`Price catalog replaced. It has ${plural(entries, { one: "# entry", other: "# entries" })}.`,
      });
    },
  });
  if (!file.data)
    return file.error ? <ErrorState error={file.error} retry={() => void file.refetch()} /> : <LoadingState />;
  const { source, updated, entries, stored_at, checked_at, fault } = file.data;
  const own = source !== "built-in";
  const remove = () =>
    confirm({
      title: t`Return to the built-in file?`,
      children: t`The current file is removed. Prices don’t change.`,
      confirm: t`Return to the built-in file`,
      act: async () => {
        await ask(api.DELETE("/api/operator/price-catalog"));
        await refresh();
      },
    });
  return (
    <Card>
      <Stack gap="sm">
        {fault && (
          <Alert color="yellow" title={t`The last fetch failed`}>
            {fault}
          </Alert>
        )}
        <DescriptionList
          items={[
            [t`File`, source === "built-in" ? t`Built-in` : source === "upload" ? t`Uploaded` : source],
            [t`Prices of`, updated],
            [t`Entries`, showCount(entries)],
            stored_at !== null && [t`Stored`, <Moment key="stored" at={stored_at} />],
            checked_at !== null && [t`Last fetched`, <Moment key="checked" at={checked_at} />],
          ]}
        />
        <FormError error={upload.error} />
        <Group gap="xs">
          <FileButton
            resetRef={reset}
            onChange={(chosen) => chosen && upload.mutate(chosen)}
            accept=".json,application/json"
          >
            {(props) => (
              <Button
                {...props}
                variant="default"
                loading={upload.isPending}
                leftSection={<IconFileUpload size={16} />}
              >
                <Trans>Upload a file</Trans>
              </Button>
            )}
          </FileButton>
          {own && (
            <Button variant="default" onClick={remove}>
              <Trans>Return to the built-in file</Trans>
            </Button>
          )}
        </Group>
      </Stack>
    </Card>
  );
}
