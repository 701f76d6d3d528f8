import { Button, Divider, Group, NumberInput, SegmentedControl, Select, SimpleGrid, Stack, Switch, TagsInput, Text, Textarea } from "@mantine/core";

import type { Schema } from "@/api/client";

import { ModelSelect } from "./ModelSelect";
import { schemaFault, type Settings } from "./settings";
import { exampleTools, parseTools } from "./tools";

interface PanelProps {
  settings: Settings;
  set: (settings: Partial<Settings>) => void;
  models: Schema<"VisibleModel">[] | undefined;
}

const orUndefined = (fault: string | null | undefined) => fault ?? undefined;

/** Edits the settings of the next call. */
export function SettingsPanel({ settings, set, models }: PanelProps) {
  return (
    <Stack gap="md">
      <ModelSelect models={models} value={settings.model} onChange={(model) => set({ model })} />
      <Stack gap={4}>
        <Text size="sm" fw={500} id="endpoint">
          API
        </Text>
        <SegmentedControl
          fullWidth
          aria-labelledby="endpoint"
          value={settings.endpoint}
          onChange={(value) => set({ endpoint: value === "responses" ? "responses" : "chat" })}
          data={[
            { value: "chat", label: "Chat completions" },
            { value: "responses", label: "Responses" },
          ]}
        />
      </Stack>
      <Textarea
        label="System prompt"
        placeholder="How the model shall behave"
        autosize
        minRows={3}
        maxRows={12}
        value={settings.system}
        onChange={(event) => set({ system: event.currentTarget.value })}
      />
      <Switch label="Stream the answer" checked={settings.stream} onChange={(event) => set({ stream: event.currentTarget.checked })} />
      <Divider />
      <Parameters settings={settings} set={set} />
      <Format settings={settings} set={set} />
      <Tools settings={settings} set={set} />
    </Stack>
  );
}

function Parameters({ settings, set }: Omit<PanelProps, "models">) {
  const number = (value: number | string) => (typeof value === "number" ? value : "");
  const chat = settings.endpoint === "chat";
  return (
    <>
      <SimpleGrid cols={2} spacing="sm">
        <NumberInput label="Temperature" placeholder="Default" min={0} max={2} step={0.1} decimalScale={3} value={settings.temperature} onChange={(value) => set({ temperature: number(value) })} />
        <NumberInput label="Top P" placeholder="Default" min={0} max={1} step={0.05} decimalScale={3} value={settings.topP} onChange={(value) => set({ topP: number(value) })} />
        <NumberInput label="Max output tokens" placeholder="Default" min={1} max={10_000_000} allowDecimal={false} value={settings.maxTokens} onChange={(value) => set({ maxTokens: number(value) })} />
        <Select
          label="Reasoning effort"
          placeholder="Default"
          clearable
          data={["minimal", "low", "medium", "high"]}
          value={settings.reasoning || null}
          onChange={(value) => set({ reasoning: value === "minimal" || value === "low" || value === "medium" || value === "high" ? value : "" })}
        />
        {chat && <NumberInput label="Seed" placeholder="None" allowDecimal={false} value={settings.seed} onChange={(value) => set({ seed: number(value) })} />}
      </SimpleGrid>
      {chat && <TagsInput label="Stop sequences" placeholder={settings.stop.length === 0 ? "Type one, then Enter" : ""} maxTags={4} value={settings.stop} onChange={(stop) => set({ stop })} />}
    </>
  );
}

function Format({ settings, set }: Omit<PanelProps, "models">) {
  return (
    <>
      <Select
        label="Response format"
        allowDeselect={false}
        data={[
          { value: "text", label: "Text" },
          { value: "json_object", label: "JSON object" },
          { value: "json_schema", label: "JSON Schema" },
        ]}
        value={settings.format}
        onChange={(value) => set({ format: value === "json_object" || value === "json_schema" ? value : "text" })}
      />
      {settings.format === "json_schema" && (
        <JsonArea label="Schema of the answer" value={settings.schema} onChange={(schema) => set({ schema })} error={orUndefined(schemaFault(settings.schema))} placeholder='{"type": "object", "properties": {}}' />
      )}
    </>
  );
}

function Tools({ settings, set }: Omit<PanelProps, "models">) {
  return (
    <Stack gap={6}>
      <JsonArea
        label="Functions"
        description="A JSON array of functions that the model may call. You enter what they give back."
        placeholder="[]"
        value={settings.tools}
        onChange={(tools) => set({ tools })}
        error={parseTools(settings.tools).fault}
      />
      <Group justify="flex-end" gap="xs">
        {settings.tools.trim() === "" ? (
          <Button size="compact-xs" variant="subtle" onClick={() => set({ tools: exampleTools })}>
            Insert an example
          </Button>
        ) : (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => set({ tools: "" })}>
            Remove all
          </Button>
        )}
      </Group>
    </Stack>
  );
}

interface JsonAreaProps {
  label: string;
  description?: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}

function JsonArea({ onChange, ...props }: JsonAreaProps) {
  return <Textarea autosize minRows={3} maxRows={14} spellCheck={false} classNames={{ input: "mono" }} onChange={(event) => onChange(event.currentTarget.value)} {...props} />;
}
