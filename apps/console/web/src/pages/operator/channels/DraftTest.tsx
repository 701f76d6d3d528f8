import { Trans } from "@lingui/react/macro";
import { Button, Group, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { applyProblem, FormError } from "@/components/form";
import type { Channel } from "@/pages/operator/catalog/queries";

import { fieldNames, fieldsOf, type ChannelValues } from "./channelForm";
import { Result } from "./TestModal";
import { draftOf } from "./upstreamModels";

interface DraftTestProps {
  form: UseFormReturnType<ChannelValues>;
  /** The channel to edit; undefined for a new channel. */
  existing: Channel | undefined;
  /** Shows the fields, which may be in a section that is closed. */
  reveal: (fields: string[]) => void;
}

/** Tests the channel of the form with a real call before it is saved. */
export function DraftTest({ form, existing, reveal }: DraftTestProps) {
  const test = useMutation({
    mutationFn: () => ask(api.POST("/api/operator/channels/test", { body: draftOf(existing, form.getValues()) })),
  });
  const problem: unknown = test.error;
  const run = () => {
    const { hasErrors, errors } = form.validate();
    if (hasErrors) return reveal(Object.keys(errors));
    test.mutate(undefined, {
      onError: (error) => {
        applyProblem(form, error, fieldNames);
        reveal(fieldsOf(error));
      },
    });
  };
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Button variant="default" loading={test.isPending} onClick={run}>
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
