import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Checkbox, JsonInput, Select, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core";

import { FormSection, type FieldsProps } from "./BasicFields";
import { onlyKnown, lacks, quirks } from "./channelForm";
import { PairsInput } from "./PairsInput";
import { ignoredFields, lackLabel, quirkLabel } from "./types";

/** Shows the advanced settings of a channel: request changes, compatibility and network. */
export function AdvancedFields({ form, existing }: FieldsProps) {
  return (
    <Stack gap="lg" pt={4}>
      <FormSection title={t`Request settings`}>
        <PairsInput
          label={t`Headers`}
          description={t`Sent with each request. Not for credentials.`}
          sides={[t`Header`, t`Value`]}
          placeholders={["X-Team", "gateway"]}
          add={t`Add a header`}
          {...form.getInputProps("headers")}
        />
        <JsonInput
          label={t`Parameters`}
          description={t`Set at the top level of each request body. null removes a parameter.`}
          placeholder={'{"top_k": 20, "user": null}'}
          autosize
          minRows={2}
          maxRows={12}
          classNames={{ input: "mono" }}
          spellCheck={false}
          {...form.getInputProps("parameters")}
        />
        <Textarea
          label={t`System prompt`}
          description={t`Inserted before the client's own instructions.`}
          autosize
          minRows={2}
          maxRows={10}
          {...form.getInputProps("system_prompt")}
        />
      </FormSection>
      <Compatibility form={form} existing={existing} />
      <Network form={form} existing={existing} />
    </Stack>
  );
}

function Compatibility({ form }: FieldsProps) {
  return (
    <FormSection title={t`Compatibility`}>
      <TextInput
        label={t`Dedicated to tenant`}
        description={t`The slug of the only tenant that uses the account at the provider. Only its calls go to this channel, and they can refer to the account's files and vector stores.`}
        maxLength={63}
        {...form.getInputProps("account_of")}
      />
      <TextInput
        label={t`API version`}
        description={t`For types with versions, such as 2024-10-21.`}
        maxLength={64}
        {...form.getInputProps("api_version")}
      />
      <Checkbox.Group
        label={t`Quirks`}
        description={t`How a compatible server deviates from the protocol.`}
        {...form.getInputProps("quirks")}
        onChange={(words) => form.setFieldValue("quirks", onlyKnown(words, quirks))}
      >
        <Stack gap={8} mt={8}>
          {quirks.map((quirk) => (
            <Checkbox key={quirk} value={quirk} label={quirkLabel(quirk)} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Checkbox.Group
        label={t`Unsupported features`}
        description={t`Calls that need one of these go to other channels.`}
        {...form.getInputProps("lacks")}
        onChange={(words) => form.setFieldValue("lacks", onlyKnown(words, lacks))}
      >
        <SimpleGrid cols={2} spacing={8} mt={8}>
          {lacks.map((lack) => (
            <Checkbox key={lack} value={lack} label={lackLabel(lack)} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <Select
        label={t`Unsupported fields`}
        description={t`Whether this channel accepts calls if it must ignore fields that only restrict the response or give a hint, or optional tools of a provider, such as web_search.`}
        allowDeselect={false}
        data={ignoredFields()}
        {...form.getInputProps("ignored_fields")}
      />
    </FormSection>
  );
}

function Network({ form, existing }: FieldsProps) {
  const authorities = existing?.settings.authorities ?? [];
  const subjects = authorities.map(({ subject }) => subject).join("; ");
  return (
    <FormSection title={t`Network`}>
      <TextInput
        label={t`Proxy`}
        description={t`An http, https or socks5 URL. Its user and password are never shown again. Leave the field unchanged to keep them.`}
        placeholder="http://user:password@proxy.example:3128"
        autoComplete="off"
        {...form.getInputProps("proxy")}
      />
      <Textarea
        label={t`Certificates`}
        description={t`In PEM format. They are trusted instead of those of the system.`}
        placeholder="-----BEGIN CERTIFICATE-----"
        autosize
        minRows={2}
        maxRows={8}
        classNames={{ input: "mono" }}
        spellCheck={false}
        disabled={form.values.forget_ca}
        {...form.getInputProps("ca")}
      />
      {authorities.length > 0 && (
        <>
          <Text size="sm" c="dimmed">
            <Trans>Trusted now: {subjects}</Trans>
          </Text>
          <Checkbox
            label={t`Trust the system's certificates again`}
            {...form.getInputProps("forget_ca", { type: "checkbox" })}
          />
        </>
      )}
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput label={t`Connect timeout`} placeholder="5s" {...form.getInputProps("connect_timeout")} />
        <TextInput label={t`First-byte timeout`} placeholder="5m" {...form.getInputProps("first_byte_timeout")} />
        <TextInput label={t`Idle timeout`} placeholder="90s" {...form.getInputProps("idle_timeout")} />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        <Trans>If a timeout is empty, that of the relay applies.</Trans>
      </Text>
    </FormSection>
  );
}
