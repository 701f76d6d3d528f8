import { Trans } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { applyProblem, FormError } from "@/components/form";
import type { Channel } from "@/pages/operator/catalog/queries";

import { fieldNames, type ChannelValues } from "./channelForm";
import { Result } from "./TestModal";
import { draftOf } from "./upstreamModels";

interface DraftTestProps {
  form: UseFormReturnType<ChannelValues>;
  /** The channel to edit; undefined for a new channel. */
  existing: Channel | undefined;
}

/** Tests the channel of the form with a real call before it is saved. */
export function DraftTest({ form, existing }: DraftTestProps) {
  const test = useMutation({
    mutationFn: () => ask(api.POST("/api/operator/channels/test", { body: draftOf(existing, form.getValues()) })),
  });
  const problem: unknown = test.error;
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Button
          variant="default"
          loading={test.isPending}
          onClick={() =>
            !form.validate().hasErrors &&
            test.mutate(undefined, { onError: (error) => void applyProblem(form, error, fieldNames) })
          }
        >
          <Trans>Test before saving</Trans>
        </Button>
        <Text size="xs" c="dimmed">
          <Trans>A real call of a few tokens to the first model.</Trans>
        </Text>
      </Group>
      <FormError error={problem} />
      <div aria-live="polite">{test.data && !test.isPending && <Result tested={test.data} />}</div>
    </Stack>
  );
}
