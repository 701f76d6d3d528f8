import { t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { Problem } from "@/api/problem";
import type { Channel } from "@/pages/operator/catalog/queries";
import type { Entry } from "@/pages/operator/price-catalog/entries";

import { tagsFault } from "./tags";
import { channelType, type Dialect } from "./types";

type NewChannel = Schema<"NewChannel">;
type ChannelPatch = Schema<"ChannelPatch">;
type Settings = Schema<"ChannelSettingsPatch">;

/** One row of a list of names and values. */
export interface Pair {
  key: string;
  name: string;
  value: string;
}

/** A warning of an entry of the price catalog that must be confirmed before a model is created from it. */
export type Confirmation = Entry["confirm"][number];

/** An entry of the price catalog that was chosen for a row of the channel's models. */
export interface Offer {
  /** The key of the row. */
  row: string;
  entry: Entry;
  /** The checksum of the file that has the entry. */
  sha256: string;
}

/** The values of the channel form. */
export interface ChannelValues {
  name: string;
  type: string;
  base_url: string;
  /** The credentials to add, one per line. */
  keys: string;
  dialects: Dialect[];
  /** Maps public models to upstream models. */
  models: Pair[];
  /** The entries of the price catalog that were chosen for rows of `models`. */
  offers: Offer[];
  /** What the operator has confirmed for the models that are created from them. */
  confirmed: Confirmation[];
  priority: number | string;
  weight: number | string;
  on_disconnect: "cancel" | "drain";
  unpriced: "refuse" | "allow";
  tags: string[];
  headers: Pair[];
  parameters: string;
  system_prompt: string;
  api_version: string;
  account_of: string;
  quirks: NonNullable<Settings["quirks"]>;
  lacks: NonNullable<Settings["lacks"]>;
  ignored_fields: "report" | "refuse";
  proxy: string;
  ca: string;
  /** Removes the channel's own certificate authorities, so that the system's are trusted again. */
  forget_ca: boolean;
  connect_timeout: string;
  first_byte_timeout: string;
  idle_timeout: string;
}

let rowCount = 0;

/** Returns a row for a list of pairs. The key identifies the row on the page and is not sent. */
export function pair(name = "", value = ""): Pair {
  rowCount++;
  return { key: `row-${rowCount}`, name, value };
}

const pairsOf = (map: Record<string, string>) =>
  Object.keys(map)
    .sort()
    .map((name) => pair(name, map[name]));
const mapOf = (pairs: readonly Pair[]) =>
  Object.fromEntries(pairs.filter(({ name }) => name.trim()).map(({ name, value }) => [name.trim(), value.trim()]));

/** Returns the form values of a new channel of the type. */
export function newValues(word: string): ChannelValues {
  const type = channelType(word);
  return {
    name: "",
    type: type.value,
    base_url: type.baseUrlDefault,
    keys: "",
    dialects: [...type.usual],
    models: [pair()],
    offers: [],
    confirmed: [],
    priority: 0,
    weight: 1,
    on_disconnect: "cancel",
    unpriced: "refuse",
    tags: [],
    headers: [],
    parameters: "",
    system_prompt: "",
    api_version: "",
    account_of: "",
    quirks: [],
    lacks: [],
    ignored_fields: "report",
    proxy: "",
    ca: "",
    forget_ca: false,
    connect_timeout: "",
    first_byte_timeout: "",
    idle_timeout: "",
  };
}

/** Returns the form values of an existing channel. */
export function valuesOf(channel: Channel): ChannelValues {
  const { settings } = channel;
  const parameters = settings.parameters;
  return {
    ...newValues(channel.type),
    name: channel.name,
    type: channel.type,
    base_url: channel.base_url,
    dialects: onlyKnown(channel.dialects, dialects),
    models: pairsOf(channel.models),
    priority: channel.priority,
    weight: channel.weight,
    on_disconnect: channel.on_disconnect,
    unpriced: channel.unpriced,
    tags: channel.tags,
    headers: pairsOf(settings.headers),
    parameters: Object.keys(parameters).length > 0 ? JSON.stringify(parameters, null, 2) : "",
    system_prompt: settings.system_prompt,
    api_version: settings.api_version,
    account_of: settings.account_of,
    quirks: onlyKnown(settings.quirks, quirks),
    lacks: onlyKnown(settings.lacks, lacks),
    ignored_fields: settings.ignored_fields,
    proxy: settings.proxy,
    connect_timeout: settings.connect_timeout,
    first_byte_timeout: settings.first_byte_timeout,
    idle_timeout: settings.idle_timeout,
  };
}

/** The dialects that upstreams speak, by their names in the API. */
export const dialects = ["chat", "responses", "messages", "gemini"] as const;
/** The deviations of upstreams that a relay can adapt to. */
export const quirks = ["no_stream_options", "max_tokens", "system_role", "reasoning_content"] as const;
/** The features that an upstream can lack. Calls that need one of them skip the channel. */
export const lacks = ["stream", "tools", "vision", "structured_output"] as const;

/** Returns the values of `all` that are in `words`. It drops values that this version of the console does not know. */
export const onlyKnown = <Word extends string>(words: readonly string[], all: readonly Word[]): Word[] =>
  all.filter((word) => words.includes(word));

/** Returns the credentials in the text field, one per line. */
export const keysOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** Returns the parameters in the text field; undefined if the text is not a JSON object. */
export function parametersOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Validates the fields. Each validator returns the reason why a value cannot be sent, or null. */
export const channelFaults = {
  name: (name: string) => (name.trim() ? null : t`Enter a name.`),
  base_url: (url: string, { type }: ChannelValues) =>
    channelType(type).baseUrl === "required" && !url.trim() ? t`This type needs a base URL.` : null,
  dialects: (chosen: string[]) => (chosen.length > 0 ? null : t`Choose the dialects that the upstream speaks.`),
  models: modelsFault,
  priority: (priority: number | string) =>
    typeof priority === "number" && Number.isInteger(priority) ? null : t`Enter a whole number.`,
  weight: (weight: number | string) =>
    typeof weight === "number" && Number.isInteger(weight) && weight >= 1
      ? null
      : t`Enter a whole number of at least 1.`,
  tags: tagsFault,
  headers: (pairs: Pair[]) => {
    const name = duplicateOf(pairs);
    return name === undefined ? null : t`The header ${name} is listed twice.`;
  },
  parameters: (text: string) => {
    const example = '{"top_k": 20}';
    return parametersOf(text) ? null : t`Enter a JSON object, such as ${example}.`;
  },
};

function modelsFault(pairs: Pair[]): string | null {
  const given = pairs.filter(({ name, value }) => name.trim() || value.trim());
  if (given.length === 0) return t`Add at least one model.`;
  if (given.some(({ name, value }) => !name.trim() || !value.trim()))
    return t`Each row needs a public and an upstream model.`;
  const name = duplicateOf(given);
  return name === undefined ? null : t`The model ${name} is listed twice.`;
}

/** Returns a name that two rows have; undefined if there is none. */
function duplicateOf(pairs: readonly Pair[]): string | undefined {
  const names = pairs.map(({ name }) => name.trim()).filter(Boolean);
  return names.find((name, i) => names.indexOf(name) !== i);
}

/** Returns the request body that creates the channel. */
export function bodyOf(values: ChannelValues): NewChannel {
  const type = channelType(values.type);
  const keys = keysOf(values.keys);
  return {
    name: values.name.trim(),
    type: values.type,
    dialects: values.dialects,
    models: mapOf(values.models),
    priority: Number(values.priority),
    weight: Number(values.weight),
    status: "enabled",
    on_disconnect: values.on_disconnect,
    unpriced: values.unpriced,
    ...(values.tags.length > 0 && { tags: values.tags }),
    ...(type.baseUrl !== "none" && values.base_url.trim() && { base_url: values.base_url.trim() }),
    ...(keys.length > 0 && { api_keys: keys }),
    settings: changedSettings(newValues(values.type), values),
  };
}

/** Returns the PATCH body that changes the channel to the values. It contains only the fields that differ. */
export function patchOf(channel: Channel, values: ChannelValues): ChannelPatch {
  const before = valuesOf(channel);
  const keys = keysOf(values.keys);
  const settings = changedSettings(before, values);
  return {
    ...(values.name.trim() !== before.name && { name: values.name.trim() }),
    ...(values.base_url.trim() !== before.base_url && { base_url: values.base_url.trim() }),
    ...(differ(values.dialects, before.dialects) && { dialects: values.dialects }),
    ...(differ(mapOf(values.models), channel.models) && { models: mapOf(values.models) }),
    ...(Number(values.priority) !== before.priority && { priority: Number(values.priority) }),
    ...(Number(values.weight) !== before.weight && { weight: Number(values.weight) }),
    ...(values.on_disconnect !== before.on_disconnect && { on_disconnect: values.on_disconnect }),
    ...(values.unpriced !== before.unpriced && { unpriced: values.unpriced }),
    ...(differ(values.tags, before.tags) && { tags: values.tags }),
    // A rotation would keep the stored credentials, which the API does not send to another place.
    ...(keys.length > 0 && (droppedBy(channel, values).length > 0 ? { api_keys: keys } : { rotation: { add: keys } })),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

/** Reports whether one of the fields of a patch has been changed since the channel was `before`. */
export function changedMeanwhile(before: Channel, now: Channel, { settings = {}, ...fields }: ChannelPatch): boolean {
  const differs = (a: Record<string, unknown>, b: Record<string, unknown>, sent: object) =>
    Object.keys(sent).some((name) => differ(a[name], b[name]));
  return differs(before, now, fields) || differs(before.settings, now.settings, settings);
}

/** Headers that route no request to another server. All others may do so. The API has the same list. */
const plainHeaders = [
  "anthropic-beta",
  "anthropic-version",
  "http-referer",
  "openai-beta",
  "openai-organization",
  "openai-project",
  "referer",
  "user-agent",
  "x-title",
];

const routes = (pairs: readonly Pair[]) =>
  Object.fromEntries(Object.entries(mapOf(pairs)).filter(([name]) => !plainHeaders.includes(name.toLowerCase())));

/**
 * Returns the names of the changed fields that decide where the channel's credentials are sent. If there is one, the
 * API drops the stored credentials, because they were given for another place. A channel without credentials loses
 * none.
 */
export function droppedBy(channel: Channel, values: ChannelValues): string[] {
  if (channel.api_key_masks.length === 0) return [];
  const before = valuesOf(channel);
  return [
    ...(values.base_url.trim() !== before.base_url ? [t`base URL`] : []),
    ...(values.proxy.trim() !== before.proxy ? [t`proxy`] : []),
    ...(values.forget_ca || values.ca.trim() ? [t`certificate authorities`] : []),
    ...(differ(routes(values.headers), routes(before.headers)) ? [t`headers`] : []),
  ];
}

/** The text settings. An emptied text is sent as null, which removes the setting. */
const texts = ["api_version", "account_of", "proxy", "connect_timeout", "first_byte_timeout", "idle_timeout"] as const;

function changedSettings(before: ChannelValues, after: ChannelValues): Settings {
  const changed: Settings = {};
  for (const field of texts) {
    if (after[field].trim() !== before[field]) changed[field] = after[field].trim() || null;
  }
  if (after.system_prompt !== before.system_prompt) changed.system_prompt = after.system_prompt || null;
  if (differ(mapOf(after.headers), mapOf(before.headers))) changed.headers = mapOf(after.headers);
  if (differ(parametersOf(after.parameters), parametersOf(before.parameters)))
    changed.parameters = parametersOf(after.parameters) ?? {};
  if (differ(after.quirks, before.quirks)) changed.quirks = after.quirks;
  if (differ(after.lacks, before.lacks)) changed.lacks = after.lacks;
  if (after.ignored_fields !== before.ignored_fields) changed.ignored_fields = after.ignored_fields;
  // The API does not return the certificates, so an empty field means no change.
  if (after.forget_ca) changed.ca = null;
  else if (after.ca.trim()) changed.ca = after.ca;
  return changed;
}

function differ(a: unknown, b: unknown): boolean {
  return canonical(a) !== canonical(b);
}

/**
 * Returns the same JSON for equal values. It sorts the keys of objects and the entries of string lists, whose order
 * has no meaning here.
 */
function canonical(value: unknown): string {
  if (Array.isArray(value))
    return JSON.stringify(value.every((entry) => typeof entry === "string") ? value.toSorted() : value);
  if (isObject(value))
    return JSON.stringify(
      Object.keys(value)
        .sort()
        .map((key) => [key, JSON.stringify(value[key])]),
    );
  return JSON.stringify(value) ?? "";
}

/** Maps the API's field names to the names of the form fields. */
export const fieldNames: Record<string, string> = {
  api_keys: "keys",
  rotation: "keys",
  "settings.headers": "headers",
  "settings.parameters": "parameters",
  "settings.system_prompt": "system_prompt",
  "settings.api_version": "api_version",
  "settings.account_of": "account_of",
  "settings.quirks": "quirks",
  "settings.lacks": "lacks",
  "settings.ignored_fields": "ignored_fields",
  "settings.proxy": "proxy",
  "settings.ca": "ca",
  "settings.connect_timeout": "connect_timeout",
  "settings.first_byte_timeout": "first_byte_timeout",
  "settings.idle_timeout": "idle_timeout",
};

/** Returns the names of the form fields that a refusal names. */
export const fieldsOf = (error: unknown) =>
  error instanceof Problem ? error.fields.map(({ param }) => fieldNames[param] ?? param) : [];

/** The fields in the advanced section of the form. */
export const advanced = [
  "headers",
  "parameters",
  "system_prompt",
  "api_version",
  "account_of",
  "quirks",
  "lacks",
  "ignored_fields",
  "proxy",
  "ca",
  "connect_timeout",
  "first_byte_timeout",
  "idle_timeout",
];
