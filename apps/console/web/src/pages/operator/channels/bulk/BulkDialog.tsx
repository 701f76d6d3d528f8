import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { type Ref, useEffect, useRef, useState } from "react";

import { Modal } from "@/components/dialog";
import { useUnsaved } from "@/components/unsaved";
import type { Channel } from "@/pages/operator/catalog/queries";

import { type ActionName, affectedBy, explanationOf, modelsWithout, titleOf } from "./actions";
import { actOn, faultsOf, hasFields, noValues } from "./fields";
import { RunList, RunProgress } from "./RunList";
import { TagFields, WeightFields } from "./ValueFields";
import { unfinished, useRun } from "./useRun";

/** An action for the channels that were selected when it was chosen. */
export interface Bulk {
  /** Differs from that of other actions. */
  key: number;
  action: ActionName;
  channels: readonly Channel[];
  /** The ids of those that the filters hide. */
  hidden: ReadonlySet<string>;
}

interface BulkDialogProps {
  /** The action; undefined while the dialog is closed. */
  bulk: Bulk | undefined;
  /** All channels, also those that are not selected. */
  all: readonly Channel[];
  /** Closes the dialog. `done` are the ids of the channels that succeeded, or need no change. */
  close: (done: readonly string[]) => void;
}

/** Asks, does something with several channels one by one, shows what became of each, and repeats what failed. */
export function BulkDialog({ bulk, all, close }: BulkDialogProps) {
  const [done, setDone] = useState(() => new Set<string>());
  const [shown, setShown] = useState(bulk);
  if (bulk && bulk !== shown) {
    setShown(bulk); // stays while the dialog closes
    setDone(new Set());
  }
  const end = () => close([...done]);
  return (
    <Modal
      opened={bulk !== undefined}
      onClose={end}
      title={shown && titleOf(shown.action, affectedBy(shown.action, shown.channels).length)}
      size={600}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      {shown && <Content key={shown.key} bulk={shown} all={all} close={end} done={done} />}
    </Modal>
  );
}

interface ContentProps {
  bulk: Bulk;
  all: readonly Channel[];
  close: () => void;
  /** Gets the ids of the channels that succeed or need no change. */
  done: Set<string>;
}

function Content({ bulk: { action, channels, hidden }, all, close, done }: ContentProps) {
  const client = useQueryClient();
  const [affected] = useState(() => affectedBy(action, channels));
  const [lost] = useState(() => (action === "disable" ? modelsWithout(all, affected) : []));
  const form = useForm({ initialValues: noValues, validate: (values) => faultsOf(action, values) });
  const closeButton = useRef<HTMLButtonElement>(null);
  const { progress, running, run } = useRun<Channel>(async (channel) => {
    const text = await actOn(channel, action, form.getValues());
    done.add(channel.id);
    return text;
  });
  const started = progress.size > 0;
  useUnsaved({ isDirty: () => !started && form.isDirty() });
  const rest = unfinished(affected, progress);
  const unneeded = channels.filter((channel) => !affected.includes(channel));
  const begin = async () => {
    for (const { id } of unneeded) done.add(id);
    await run(rest);
    await client.invalidateQueries({ queryKey: ["operator"] });
  };
  const complete = started && !running && rest.length === 0;
  useEffect(() => {
    if (complete) closeButton.current?.focus(); // the other button is gone
  }, [complete]);
  const submit = form.onSubmit(() => void begin());
  return (
    <form
      noValidate
      onSubmit={(event) => {
        if (hasFields(action)) return submit(event);
        event.preventDefault();
        void begin();
      }}
    >
      <Stack>
        {!started && <Text c="dimmed">{explanationOf(action)}</Text>}
        {!started && <Lost models={lost} />}
        {!started && <Unneeded action={action} count={unneeded.length} />}
        {!started && action === "weigh" && <WeightFields form={form} />}
        {!started && action === "tag" && <TagFields form={form} channels={affected} />}
        <RunList items={affected} hidden={hidden} progress={progress} />
        <RunProgress progress={progress} running={running} />
        <Buttons
          action={action}
          started={started}
          running={running}
          rest={rest.length}
          close={close}
          closeButton={closeButton}
        />
      </Stack>
    </form>
  );
}

/** Names the models that would have no enabled channel any more. */
function Lost({ models }: { models: readonly string[] }) {
  const count = models.length;
  const shown = models.slice(0, 20).join(", ");
  const more = count - 20;
  if (count === 0) return null;
  return (
    <Alert
      color="red"
      role="alert"
      title={plural(count, { one: "# model becomes unavailable", other: "# models become unavailable" })}
    >
      <Trans>No other enabled channel serves them:</Trans>{" "}
      <strong>{more > 0 ? t`${shown} and ${more} more` : shown}</strong>
    </Alert>
  );
}

/** Says how many of the selected channels the action leaves alone. */
function Unneeded({ action, count }: { action: ActionName; count: number }) {
  if (count === 0) return null;
  return (
    <Text size="sm">
      {action === "enable"
        ? plural(count, {
            one: "# selected channel is enabled already.",
            other: "# selected channels are enabled already.",
          })
        : plural(count, {
            one: "# selected channel is disabled already.",
            other: "# selected channels are disabled already.",
          })}
    </Text>
  );
}

interface ButtonsProps {
  action: ActionName;
  started: boolean;
  running: boolean;
  /** How many channels have not succeeded. */
  rest: number;
  close: () => void;
  closeButton: Ref<HTMLButtonElement>;
}

function Buttons({ action, started, running, rest, close, closeButton }: ButtonsProps) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button ref={closeButton} variant="default" onClick={close} disabled={running}>
        {started ? <Trans>Close</Trans> : <Trans>Cancel</Trans>}
      </Button>
      {(!started || running || rest > 0) && (
        <Button
          type="submit"
          loading={running}
          disabled={rest === 0}
          color={action === "disable" ? "red" : undefined}
          data-autofocus={hasFields(action) ? undefined : true}
        >
          {started ? plural(rest, { one: "Repeat # channel", other: "Repeat # channels" }) : labelOf(action)}
        </Button>
      )}
    </Group>
  );
}

function labelOf(action: ActionName): string {
  switch (action) {
    case "test":
      return t`Run the test`;
    case "enable":
      return t`Enable`;
    case "disable":
      return t`Disable`;
    case "weigh":
    case "tag":
      return t`Save changes`;
  }
}
