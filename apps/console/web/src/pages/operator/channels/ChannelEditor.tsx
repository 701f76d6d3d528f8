import { Accordion, Drawer, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { Problem } from "@/api/problem";
import { applyProblem, FormButtons, FormError } from "@/components/form";
import type { Channel } from "@/pages/operator/catalog/queries";

import { advanced, bodyOf, channelFaults, fieldNames, newValues, patchOf, valuesOf, type ChannelValues } from "./channelForm";
import { AdvancedFields } from "./AdvancedFields";
import { BasicFields } from "./BasicFields";

interface ChannelEditorProps {
  opened: boolean;
  close: () => void;
  /** The channel to edit; absent for a new channel. */
  channel?: Channel;
}

/** Shows the form of a new or an existing channel. */
export function ChannelEditor({ opened, close, channel }: ChannelEditorProps) {
  return (
    <Drawer opened={opened} onClose={close} size={640} title={channel ? `Edit ${channel.name}` : "New channel"} closeButtonProps={{ "aria-label": "Close" }}>
      <ChannelForm close={close} {...(channel && { channel })} />
    </Drawer>
  );
}

function ChannelForm({ close, channel }: Omit<ChannelEditorProps, "opened">) {
  const form = useForm<ChannelValues>({ initialValues: channel ? valuesOf(channel) : newValues("openai"), validate: channelFaults });
  const [open, setOpen] = useState<string | null>(null);
  const [problem, setProblem] = useState<unknown>();
  // Opens the advanced section if one of the fields with an error is in it.
  const reveal = (fields: string[]) => fields.some((field) => advanced.includes(field)) && setOpen("advanced");
  const save = useSave(channel, close);
  const submit = form.onSubmit(
    (values) => {
      setProblem(undefined);
      save.mutate(values, {
        onError: (error) => {
          setProblem(applyProblem(form, error, fieldNames));
          if (error instanceof Problem) reveal(error.fields.map(({ param }) => fieldNames[param] ?? param));
        },
      });
    },
    (errors) => reveal(Object.keys(errors)),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <FormError error={problem} />
        <BasicFields form={form} existing={channel} />
        <Accordion variant="contained" value={open} onChange={setOpen}>
          <Accordion.Item value="advanced">
            <Accordion.Control>
              <Text fw={500}>Advanced settings</Text>
              <Text size="sm" c="dimmed">
                Headers, parameters, system prompt, compatibility, proxy, time-outs
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <AdvancedFields form={form} existing={channel} />
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        <FormButtons cancel={close} pending={save.isPending}>{channel ? "Save changes" : "Create channel"}</FormButtons>
      </Stack>
    </form>
  );
}

function useSave(channel: Channel | undefined, close: () => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (values: ChannelValues) =>
      channel
        ? ask(api.PATCH("/api/operator/channels/{id}", { params: { path: { id: channel.id } }, body: patchOf(channel, values) }))
        : ask(api.POST("/api/operator/channels", { body: bodyOf(values) })),
    onSuccess: async (saved) => {
      await client.invalidateQueries({ queryKey: ["operator"] });
      close();
      notifications.show({ color: "green", message: channel ? `${saved.name} is changed. Relays know it within a second.` : `${saved.name} is created.` });
      if (!channel) await navigate({ to: "/operator/channels/$id", params: { id: saved.id } });
    },
  });
}
