import { Checkbox, JsonInput, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core";

import { FormSection, type FieldsProps } from "./BasicFields";
import { onlyKnown, lacks, quirks } from "./channelForm";
import { PairsInput } from "./PairsInput";
import { lackLabels, quirkLabels } from "./types";

/** Shows the advanced settings of a channel: request changes, compatibility and network. */
export function AdvancedFields({ form, existing }: FieldsProps) {
  return (
    <Stack gap="lg" pt={4}>
      <FormSection title="What is sent">
        <PairsInput label="Headers" description="Set on each request. Not for credentials." sides={["Header", "Value"]} placeholders={["X-Team", "gateway"]} add="Add a header" {...form.getInputProps("headers")} />
        <JsonInput
          label="Parameters" description="Set at the top level of each body; null takes one out." placeholder={'{"top_k": 20, "user": null}'} autosize minRows={2} maxRows={12}
          classNames={{ input: "mono" }} spellCheck={false} {...form.getInputProps("parameters")}
        />
        <Textarea label="System prompt" description="Put before the client's own instructions." autosize minRows={2} maxRows={10} {...form.getInputProps("system_prompt")} />
      </FormSection>
      <Compatibility form={form} existing={existing} />
      <Network form={form} existing={existing} />
    </Stack>
  );
}

function Compatibility({ form }: FieldsProps) {
  return (
    <FormSection title="Compatibility">
      <TextInput label="Account of" description="Slug of the tenant to which the upstream's account belongs alone. Only its calls go here, and they may refer to its files and vector stores." maxLength={63} {...form.getInputProps("account_of")} />
      <TextInput label="API version" description="For types that have such, as 2024-10-21." maxLength={64} {...form.getInputProps("api_version")} />
      <Checkbox.Group label="Quirks" description="Departures of a compatible server." {...form.getInputProps("quirks")} onChange={(words) => form.setFieldValue("quirks", onlyKnown(words, quirks))}>
        <Stack gap={8} mt={8}>
          {quirks.map((quirk) => (
            <Checkbox key={quirk} value={quirk} label={quirkLabels[quirk]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Checkbox.Group label="Lacks" description="Calls that ask for one of these go to other channels." {...form.getInputProps("lacks")} onChange={(words) => form.setFieldValue("lacks", onlyKnown(words, lacks))}>
        <SimpleGrid cols={2} spacing={8} mt={8}>
          {lacks.map((lack) => (
            <Checkbox key={lack} value={lack} label={lackLabels[lack]} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
    </FormSection>
  );
}

function Network({ form, existing }: FieldsProps) {
  const authorities = existing?.settings.authorities ?? [];
  return (
    <FormSection title="Network">
      <TextInput label="Proxy" description="http, https or socks5 URL. Its credentials are never shown again; leave the field as it is to keep them." placeholder="http://user:password@proxy.example:3128" autoComplete="off" {...form.getInputProps("proxy")} />
      <Textarea
        label="Certificates" description="In PEM: trusted in place of the system's." placeholder="-----BEGIN CERTIFICATE-----" autosize minRows={2} maxRows={8}
        classNames={{ input: "mono" }} spellCheck={false} disabled={form.values.forget_ca} {...form.getInputProps("ca")}
      />
      {authorities.length > 0 && (
        <>
          <Text size="sm" c="dimmed">
            Trusted now: {authorities.map(({ subject }) => subject).join("; ")}
          </Text>
          <Checkbox label="Trust the system's certificates again" {...form.getInputProps("forget_ca", { type: "checkbox" })} />
        </>
      )}
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput label="Connect time-out" placeholder="5s" {...form.getInputProps("connect_timeout")} />
        <TextInput label="First-byte time-out" placeholder="5m" {...form.getInputProps("first_byte_timeout")} />
        <TextInput label="Idle time-out" placeholder="90s" {...form.getInputProps("idle_timeout")} />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        Where a time-out is empty, the relay&rsquo;s own holds.
      </Text>
    </FormSection>
  );
}
