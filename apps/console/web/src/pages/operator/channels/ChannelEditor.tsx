import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Accordion, Alert, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { Drawer } from "@/components/dialog";
import { applyProblem, FormButtons, FormError } from "@/components/form";
import { useUnsaved } from "@/components/unsaved";
import { channelsQuery, modelsQuery, type Channel } from "@/pages/operator/catalog/queries";

import {
  advanced,
  bodyOf,
  changedMeanwhile,
  channelFaults,
  fieldNames,
  fieldsOf,
  newValues,
  patchOf,
  valuesOf,
  type ChannelValues,
} from "./channelForm";
import { AdvancedFields } from "./AdvancedFields";
import { BasicFields } from "./BasicFields";
import { DraftTest } from "./DraftTest";
import { confirmationsOf, newModelsOf, offeredModels } from "./offers";

interface ChannelEditorProps {
  opened: boolean;
  close: () => void;
  /** The channel to edit; absent for a new channel. */
  channel?: Channel;
}

/** Shows the form of a new or an existing channel. */
export function ChannelEditor({ opened, close, channel }: ChannelEditorProps) {
  const name = channel?.name;
  return (
    <Drawer
      opened={opened}
      onClose={close}
      size={640}
      title={name === undefined ? t`New channel` : t`Edit ${name}`}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <ChannelForm key={channel?.id} close={close} {...(channel && { existing: channel })} />
    </Drawer>
  );
}

function ChannelForm({ close, existing }: { close: () => void; existing?: Channel }) {
  // The patch contains only differences from the channel with which the form was opened.
  const [channel] = useState(existing);
  const form = useForm<ChannelValues>({
    initialValues: channel ? valuesOf(channel) : newValues("openai"),
    validate: channelFaults,
  });
  useUnsaved(form);
  const [open, setOpen] = useState<string | null>(null);
  const [problem, setProblem] = useState<unknown>();
  // Opens the advanced section if one of the fields with an error is in it.
  const reveal = (fields: string[]) => {
    if (fields.some((field) => advanced.includes(field))) setOpen("advanced");
  };
  const { save, made } = useSave(channel, close);
  const names = made.join(", ");
  const count = made.length;
  const models = useQuery(modelsQuery);
  const submit = form.onSubmit(
    (values) => {
      setProblem(undefined);
      const offered = offeredModels(values, models.data?.items.map(({ id }) => id) ?? []);
      if (confirmationsOf(offered).some((word) => !values.confirmed.includes(word)))
        return form.setFieldError("confirmed", t`Confirm the prices before the models are created.`);
      save.mutate(
        { values, models: newModelsOf(offered, values.confirmed) },
        {
          onError: (error) => {
            setProblem(applyProblem(form, error, fieldNames));
            reveal(fieldsOf(error));
          },
        },
      );
    },
    (errors) => reveal(Object.keys(errors)),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <FormError error={problem} />
        {count > 0 && !save.isPending && (
          <Alert color="yellow">
            {plural(count, {
              one: `The channel is not created yet. ${names} is created: correct the channel and try again.`,
              other: `The channel is not created yet. ${names} are created: correct the channel and try again.`,
            })}
          </Alert>
        )}
        <BasicFields form={form} existing={channel} />
        <Accordion variant="contained" value={open} onChange={setOpen}>
          <Accordion.Item value="advanced">
            <Accordion.Control>
              <Text fw={500}>
                <Trans>Advanced settings</Trans>
              </Text>
              <Text size="sm" c="dimmed">
                <Trans>Headers, parameters, system prompt, compatibility, proxy, timeouts</Trans>
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <AdvancedFields form={form} existing={channel} />
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        <DraftTest form={form} existing={channel} reveal={reveal} />
        <FormButtons cancel={close} pending={save.isPending}>
          {channel ? <Trans>Save changes</Trans> : <Trans>Create channel</Trans>}
        </FormButtons>
      </Stack>
    </form>
  );
}

interface Saved {
  values: ChannelValues;
  /** The models to create before the channel; undefined if there are none. */
  models: Schema<"NewModels"> | undefined;
}

/**
 * Changes the channel. Fails if another person has changed one of the same fields since the form was opened: lists are
 * sent as a whole, which would revert that change.
 */
async function change(client: QueryClient, channel: Channel, values: ChannelValues) {
  const params = { path: { id: channel.id } };
  const body = patchOf(channel, values);
  const now = await ask(api.GET("/api/operator/channels/{id}", { params }));
  if (!changedMeanwhile(channel, now, body)) return ask(api.PATCH("/api/operator/channels/{id}", { params, body }));
  void client.invalidateQueries({ queryKey: channelsQuery.queryKey });
  const { name } = now;
  throw new Error(t`The channel ${name} has changed meanwhile. Open the form again to change it as it is now.`);
}

/** Saves the channel. A new channel's missing models are created first; `made` lists those of earlier tries too. */
function useSave(channel: Channel | undefined, close: () => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [made, setMade] = useState<string[]>([]);
  const save = useMutation({
    mutationFn: async ({ values, models }: Saved) => {
      if (channel) return change(client, channel, values);
      if (models) {
        const { items } = await ask(api.POST("/api/operator/price-catalog/models", { body: models }));
        setMade((before) => [...before, ...items.filter(({ created }) => created).map(({ model }) => model)]);
        await client.invalidateQueries({ queryKey: modelsQuery.queryKey });
      }
      return ask(api.POST("/api/operator/channels", { body: bodyOf(values) }));
    },
    // Another try may need entries of a file that was replaced meanwhile.
    onError: () => client.invalidateQueries({ queryKey: ["operator", "price-catalog"] }),
    onSuccess: async (saved) => {
      await client.invalidateQueries({ queryKey: ["operator"] });
      close();
      const { name } = saved;
      notifications.show({
        color: "green",
        message: channel ? t`Channel ${name} saved.` : t`Channel ${name} created.`,
      });
      if (!channel) await navigate({ to: "/operator/channels/$id", params: { id: saved.id } });
    },
  });
  return { save, made };
}
