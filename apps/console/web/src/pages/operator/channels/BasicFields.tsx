import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import {
  Alert,
  Checkbox,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { SegmentedControl } from "@/components/SegmentedControl";
import { modelsQuery, type Channel } from "@/pages/operator/catalog/queries";

import { CatalogModels } from "./CatalogModels";
import { droppedBy, onlyKnown, dialects, type ChannelValues } from "./channelForm";
import { offeredModels } from "./offers";
import { PairsInput } from "./PairsInput";
import { TagsField } from "./TagsField";
import { channelType, channelTypes, dialectLabels } from "./types";
import { UpstreamModels } from "./UpstreamModels";

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
      <Models form={form} existing={existing} />
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
    form.setValues({
      type: next.value,
      dialects: [...next.usual],
      ...(untouched && { base_url: next.baseUrlDefault }),
    });
    form.clearErrors();
  };
  const moved = existing ? droppedBy(existing, form.values) : [];
  const changes = moved.join(", ");
  const stored = existing?.api_key_masks.length ?? 0;
  return (
    <FormSection title={t`Upstream`}>
      {existing ? null : (
        <Select
          label={t`Type`}
          data={channelTypes().map(({ value, label }) => ({ value, label }))}
          description={type.about}
          allowDeselect={false}
          value={form.values.type}
          onChange={choose}
        />
      )}
      <TextInput
        label={t`Name`}
        withAsterisk
        description={t`Visible to operators, and to clients in the header x-tollgate-channel.`}
        maxLength={200}
        data-autofocus
        placeholder="openai-main" // not translated: a name
        {...form.getInputProps("name")}
      />
      <TagsField
        label={t`Tags`}
        description={t`Your own words to find channels by. They don't influence routing, and tenants never see them.`}
        {...form.getInputProps("tags")}
      />
      {type.baseUrl !== "none" && (
        <TextInput
          label={t`Base URL`}
          withAsterisk={type.baseUrl === "required"}
          inputMode="url"
          description={type.baseUrlHint}
          placeholder={type.baseUrlDefault || "https://"}
          maxLength={2000}
          {...form.getInputProps("base_url")}
        />
      )}
      {type.credentials && (
        <Textarea
          label={existing && moved.length === 0 ? t`Add credentials` : t`Credentials`}
          description={
            existing && moved.length === 0
              ? addHint(stored)
              : t`One per line. Calls are spread over them. They are encrypted, and never shown again.`
          }
          placeholder={type.credentialHint}
          autosize
          minRows={1}
          maxRows={6}
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: "mono" }}
          {...form.getInputProps("keys")}
        />
      )}
      {moved.length > 0 && (
        <Alert
          color="yellow"
          title={plural(stored, {
            one: "The stored credential will be removed",
            other: "The # stored credentials will be removed",
          })}
        >
          <Trans>
            Stored credentials are not sent to another destination. You are changing: {changes}. Enter the credentials
            for the new destination.
          </Trans>
        </Alert>
      )}
      <Checkbox.Group
        label={t`Dialects`}
        description={t`The protocols that the upstream speaks. Calls in another dialect are translated.`}
        {...form.getInputProps("dialects")}
        onChange={(words) => form.setFieldValue("dialects", onlyKnown(words, dialects))}
      >
        <Group mt={8} mb={4}>
          {type.dialects.map((dialect) => (
            <Checkbox key={dialect} value={dialect} label={dialectLabels[dialect]} />
          ))}
        </Group>
      </Checkbox.Group>
    </FormSection>
  );
}

function addHint(stored: number): string {
  return plural(stored, {
    0: "One per line.",
    one: "One per line. The existing one stays. You can remove it on the channel's page.",
    other: "One per line. The # existing ones stay. You can remove them on the channel's page.",
  });
}

function Models({ form, existing }: FieldsProps) {
  const models = useQuery(modelsQuery);
  const ids = models.data?.items.map((model) => model.id) ?? [];
  const type = channelType(form.values.type);
  return (
    <FormSection title={t`Models`}>
      <PairsInput
        label={t`Public model to upstream model`}
        description={t`The name that clients use, and the name that this upstream uses.`}
        sides={[t`Public model`, t`Upstream model`]}
        placeholders={["gpt-4o-mini", type.upstream]}
        add={t`Add a model`}
        copies
        suggestions={ids}
        {...form.getInputProps("models")}
      />
      {type.credentials && (
        <UpstreamModels form={form} existing={existing} models={models.data?.more === false ? ids : undefined} />
      )}
      {!existing && type.credentials && <CatalogModels form={form} offered={offeredModels(form.values, ids)} />}
    </FormSection>
  );
}

function Routing({ form }: { form: FieldsProps["form"] }) {
  return (
    <FormSection title={t`Routing`}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput
          label={t`Priority`}
          description={t`Lower numbers are tried first.`}
          allowDecimal={false}
          min={-1_000_000}
          max={1_000_000}
          {...form.getInputProps("priority")}
        />
        <NumberInput
          label={t`Weight`}
          description={t`Share of the calls within the priority.`}
          allowDecimal={false}
          min={1}
          max={1_000_000}
          {...form.getInputProps("weight")}
        />
      </SimpleGrid>
      <div>
        <Text size="sm" fw={500} id="on-disconnect">
          <Trans>When a client disconnects during an answer</Trans>
        </Text>
        <Text size="xs" c="dimmed" mb={6}>
          <Trans>Cancel to save money, or read to the end for the exact usage.</Trans>
        </Text>
        <SegmentedControl
          aria-labelledby="on-disconnect"
          size="sm"
          data={[
            { value: "cancel", label: t`Cancel the upstream call` },
            { value: "drain", label: t`Read to the end` },
          ]}
          {...form.getInputProps("on_disconnect")}
        />
      </div>
      <div>
        <Text size="sm" fw={500} id="unpriced">
          <Trans>Calls that could cause a charge without a price</Trans>
        </Text>
        <Text size="xs" c="dimmed" mb={6}>
          <Trans>
            Such as service tiers, tools that the provider runs, or one-hour caches. If you allow them, you pay for what
            has no price.
          </Trans>
        </Text>
        <SegmentedControl
          aria-labelledby="unpriced"
          size="sm"
          data={[
            { value: "refuse", label: t`Refuse` },
            { value: "allow", label: t`Allow` },
          ]}
          {...form.getInputProps("unpriced")}
        />
      </div>
    </FormSection>
  );
}
