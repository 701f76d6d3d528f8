import { Alert, Checkbox, Group, NumberInput, SegmentedControl, Select, SimpleGrid, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { modelsQuery, type Channel } from "@/pages/operator/catalog/queries";

import { droppedBy, onlyKnown, endpoints, type ChannelValues } from "./channelForm";
import { PairsInput } from "./PairsInput";
import { channelType, channelTypes, endpointLabels } from "./types";

export interface FieldsProps {
  form: UseFormReturnType<ChannelValues>;
  /** The channel to edit; undefined for a new channel. */
  existing: Channel | undefined;
}

/** Shows a part of the form under its own heading. */
export function FormSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section" gap="sm">
      <Title order={3}>{title}</Title>
      {children}
    </Stack>
  );
}

/** Shows the fields that every channel has. */
export function BasicFields({ form, existing }: FieldsProps) {
  return (
    <>
      <Upstream form={form} existing={existing} />
      <Models form={form} />
      <Routing form={form} />
    </>
  );
}

function Upstream({ form, existing }: FieldsProps) {
  const type = channelType(form.values.type);
  const choose = (word: string | null) => {
    const before = channelType(form.values.type);
    const next = channelType(word ?? before.value);
    const untouched = form.values.base_url === before.baseUrlDefault || next.baseUrl === "none";
    form.setValues({ type: next.value, endpoints: [...next.usual], ...(untouched && { base_url: next.baseUrlDefault }) });
    form.clearErrors();
  };
  const moved = existing ? droppedBy(existing, form.values) : [];
  const stored = existing?.api_key_masks.length ?? 0;
  return (
    <FormSection title="Upstream">
      {existing ? null : (
        <Select label="Type" data={channelTypes.map(({ value, label }) => ({ value, label }))} description={type.about} allowDeselect={false} value={form.values.type} onChange={choose} />
      )}
      <TextInput label="Name" description="Operators see it, and clients in the header x-tollgate-channel." placeholder="openai-main" maxLength={200} data-autofocus {...form.getInputProps("name")} />
      {type.baseUrl !== "none" && (
        <TextInput label="Base URL" inputMode="url" description={type.baseUrlHint} placeholder={type.baseUrlDefault || "https://"} maxLength={2000} {...form.getInputProps("base_url")} />
      )}
      {type.credentials && (
        <Textarea
          label={existing && moved.length === 0 ? "Add credentials" : "Credentials"}
          description={existing && moved.length === 0 ? `One a line. The ${stored} there are stay; remove old ones on the channel's page.` : "One a line; calls are spread over them. They are sealed, and never shown again."}
          placeholder={type.credentialHint} autosize minRows={1} maxRows={6} autoComplete="off" spellCheck={false} classNames={{ input: "mono" }} {...form.getInputProps("keys")}
        />
      )}
      {moved.length > 0 && (
        <Alert color="yellow" title={stored === 1 ? "The stored credential will be dropped" : `The ${stored} stored credentials will be dropped`}>
          They were given for another destination, and you change the {moved.join(", ")}. Enter the credentials that the new destination may have.
        </Alert>
      )}
      <Checkbox.Group label="Dialects" description="What the upstream speaks itself. Calls in another dialect are translated." {...form.getInputProps("endpoints")} onChange={(words) => form.setFieldValue("endpoints", onlyKnown(words, endpoints))}>
        <Group mt={8} mb={4}>
          {type.endpoints.map((endpoint) => (
            <Checkbox key={endpoint} value={endpoint} label={endpointLabels[endpoint]} />
          ))}
        </Group>
      </Checkbox.Group>
    </FormSection>
  );
}

function Models({ form }: { form: FieldsProps["form"] }) {
  const models = useQuery(modelsQuery);
  const type = channelType(form.values.type);
  return (
    <FormSection title="Models">
      <PairsInput
        label="Public model to upstream model" description="What clients call it, and what this upstream calls it." sides={["Public model", "Upstream model"]}
        placeholders={["gpt-4o-mini", type.upstream]} add="Add a model" copies suggestions={models.data?.items.map((model) => model.id) ?? []} {...form.getInputProps("models")}
      />
    </FormSection>
  );
}

function Routing({ form }: { form: FieldsProps["form"] }) {
  return (
    <FormSection title="Routing">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput label="Priority" description="Lower numbers are tried first." allowDecimal={false} min={-1_000_000} max={1_000_000} {...form.getInputProps("priority")} />
        <NumberInput label="Weight" description="Share of the calls within the priority." allowDecimal={false} min={1} max={1_000_000} {...form.getInputProps("weight")} />
      </SimpleGrid>
      <div>
        <Text size="sm" fw={500} id="on-disconnect">
          When a client leaves in mid-answer
        </Text>
        <Text size="xs" c="dimmed" mb={6}>
          Cancel saves money; reading on gives the exact usage.
        </Text>
        <SegmentedControl aria-labelledby="on-disconnect" size="sm" data={[{ value: "cancel", label: "Cancel the upstream" }, { value: "drain", label: "Read it on" }]} {...form.getInputProps("on_disconnect")} />
      </div>
    </FormSection>
  );
}
