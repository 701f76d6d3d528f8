import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import {
  Button,
  Divider,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
} from "@mantine/core";
import { type ReactNode, useState } from "react";

import type { Schema } from "@/api/client";
import { SegmentedControl } from "@/components/SegmentedControl";

import { ModelSelect } from "./ModelSelect";
import classes from "./Playground.module.css";
import { efforts, exampleSchema, formatted, schemaFault, type Settings } from "./settings";
import { exampleTools, parseTools } from "./tools";

interface PartProps {
  settings: Settings;
  set: (settings: Partial<Settings>) => void;
}

interface PanelProps extends PartProps {
  /** Whether the API can be chosen; otherwise it is chat completions. */
  responses: boolean;
  /** The fields of what answers. */
  children: ReactNode;
}

const orUndefined = (fault: string | null | undefined) => fault ?? undefined;

/** Edits the models of the next call. */
export function ModelFields({ settings, set, models }: PartProps & { models: Schema<"VisibleModel">[] | undefined }) {
  return (
    <>
      <ModelSelect label={t`Model`} models={models} value={settings.model} onChange={(model) => set({ model })} />
      {settings.rival && (
        <Stack gap={4}>
          <ModelSelect
            label={t`Second model`}
            models={models}
            value={settings.rival}
            onChange={(rival) => set({ rival })}
          />
          <Text size="xs" c="dimmed">
            <Trans>All other settings apply to both models.</Trans>
          </Text>
        </Stack>
      )}
    </>
  );
}

/** Edits the settings of the next call. */
export function SettingsPanel({ settings, set, responses, children }: PanelProps) {
  return (
    <Stack gap="md">
      {children}
      {responses && (
        <Stack gap={4}>
          <Text size="sm" fw={500} id="endpoint">
            API
          </Text>
          <SegmentedControl
            fullWidth
            aria-labelledby="endpoint"
            value={settings.endpoint}
            onChange={(endpoint) => set({ endpoint })}
            data={[
              { value: "chat", label: "Chat completions" }, // not translated: the name of an API
              { value: "responses", label: "Responses" }, // not translated: the name of an API
            ]}
          />
        </Stack>
      )}
      <Textarea
        label={t`System prompt`}
        placeholder={t`e.g. You are a helpful assistant`}
        autosize
        minRows={3}
        maxRows={12}
        value={settings.system}
        onChange={(event) => set({ system: event.currentTarget.value })}
      />
      <Switch
        label={t`Stream the answer`}
        checked={settings.stream}
        onChange={(event) => set({ stream: event.currentTarget.checked })}
      />
      <Divider />
      <Parameters settings={settings} set={set} />
      <Format settings={settings} set={set} />
      <Tools settings={settings} set={set} />
    </Stack>
  );
}

function Parameters({ settings, set }: PartProps) {
  const chat = settings.endpoint === "chat";
  return (
    <>
      <SimpleGrid cols={2} spacing="sm">
        <NumberField
          label={t`Temperature`}
          placeholder={t`Default`}
          min={0}
          max={2}
          step={0.1}
          decimalScale={3}
          value={settings.temperature}
          set={(temperature) => set({ temperature })}
        />
        <NumberField
          label={t`Top P`}
          placeholder={t`Default`}
          min={0}
          max={1}
          step={0.05}
          decimalScale={3}
          value={settings.topP}
          set={(topP) => set({ topP })}
        />
        <NumberField
          label={t`Max output tokens`}
          placeholder={t`Default`}
          min={1}
          max={10_000_000}
          allowDecimal={false}
          value={settings.maxTokens}
          set={(maxTokens) => set({ maxTokens })}
        />
        <Select
          label={t`Reasoning effort`}
          placeholder={t`Default`}
          clearable
          data={efforts}
          value={settings.reasoning || null}
          onChange={(value) => set({ reasoning: value ?? "" })}
        />
        {chat && (
          <NumberField
            label={t`Seed`}
            placeholder={t`None`}
            allowDecimal={false}
            value={settings.seed}
            set={(seed) => set({ seed })}
          />
        )}
      </SimpleGrid>
      {!chat && settings.reasoning !== "" && settings.reasoning !== "none" && (
        <Switch
          label={t`Show a summary of the reasoning`}
          checked={settings.summary}
          onChange={(event) => set({ summary: event.currentTarget.checked })}
        />
      )}
      {chat && (
        <TagsInput
          label={t`Stop sequences`}
          placeholder={settings.stop.length === 0 ? t`Type one, then press Enter` : ""}
          maxTags={4}
          value={settings.stop}
          onChange={(stop) => set({ stop })}
        />
      )}
    </>
  );
}

interface NumberFieldProps {
  label: string;
  placeholder: string;
  min?: number;
  max?: number;
  step?: number;
  decimalScale?: number;
  allowDecimal?: boolean;
  value: number | "";
  set: (value: number | "") => void;
}

/** A field for a number. It keeps what is typed on the way to one, such as "0." or "0.50". */
function NumberField({ value, set, ...props }: NumberFieldProps) {
  const [typed, setTyped] = useState<number | string>(value);
  const change = (next: number | string) => {
    setTyped(next);
    set(numberOf(next));
  };
  // Another value was set elsewhere, such as by a link.
  const shown = numberOf(typed) === value ? typed : value;
  return <NumberInput {...props} value={shown} onChange={change} />;
}

/** Returns the number that was typed; "" for none, and for what is not a number yet, such as "-". */
function numberOf(typed: number | string): number | "" {
  const number = Number(typed);
  return typed === "" || !Number.isFinite(number) ? "" : number;
}

function Format({ settings, set }: PartProps) {
  return (
    <>
      <Select
        label={t`Response format`}
        allowDeselect={false}
        data={[
          { value: "text", label: t`Text` },
          { value: "json_object", label: t`JSON object` },
          { value: "json_schema", label: "JSON Schema" }, // not translated: the name of a format
        ]}
        value={settings.format}
        onChange={(value) => set({ format: value === "json_object" || value === "json_schema" ? value : "text" })}
      />
      {settings.format === "json_schema" && <SchemaField settings={settings} set={set} />}
    </>
  );
}

function SchemaField({ settings, set }: PartProps) {
  return (
    <Stack gap={6}>
      <JsonArea
        label={t`Schema of the answer`}
        value={settings.schema}
        onChange={(schema) => set({ schema })}
        example={exampleSchema}
        error={orUndefined(schemaFault(settings.schema))}
        placeholder='{"type": "object", "properties": {}}'
      />
      <Switch
        label={t`Strict: the answer must match the schema`}
        checked={settings.strict}
        onChange={(event) => set({ strict: event.currentTarget.checked })}
      />
    </Stack>
  );
}

function Tools({ settings, set }: PartProps) {
  return (
    <Stack gap="sm">
      <JsonArea
        label={t`Functions`}
        description={t`A JSON array of functions that the model can call. You enter their results.`}
        placeholder="[]"
        value={settings.tools}
        onChange={(tools) => set({ tools })}
        example={exampleTools}
        error={parseTools(settings.tools).fault}
      />
      {settings.tools.trim() !== "" && (
        <Select
          label={t`Function calls`}
          allowDeselect={false}
          data={[
            { value: "", label: t`The model decides` },
            { value: "required", label: t`The model must call one` },
            { value: "none", label: t`The model must not call any` },
          ]}
          value={settings.toolChoice}
          onChange={(value) => set({ toolChoice: value === "required" || value === "none" ? value : "" })}
        />
      )}
    </Stack>
  );
}

interface JsonAreaProps {
  label: string;
  description?: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  example: string;
  error: string | undefined;
}

/** A field for JSON, with buttons for an example, for indentation and to empty it. */
function JsonArea({ onChange, example, ...props }: JsonAreaProps) {
  const { value, error } = props;
  const empty = value.trim() === "";
  return (
    <Stack gap={6}>
      <Textarea
        autosize
        minRows={3}
        maxRows={14}
        spellCheck={false}
        classNames={{ input: classes["json"] ?? "" }}
        onChange={(event) => onChange(event.currentTarget.value)}
        {...props}
      />
      <Group justify="flex-end" gap="xs">
        {empty && (
          <Button size="compact-xs" variant="subtle" onClick={() => onChange(example)}>
            <Trans>Insert an example</Trans>
          </Button>
        )}
        {!empty && !error && formatted(value) !== value && (
          <Button size="compact-xs" variant="subtle" onClick={() => onChange(formatted(value))}>
            <Trans context="verb">Format</Trans>
          </Button>
        )}
        {!empty && (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onChange("")}>
            <Trans>Remove all</Trans>
          </Button>
        )}
      </Group>
    </Stack>
  );
}
