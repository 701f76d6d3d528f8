import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Autocomplete, Group, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useMemo, useState } from "react";

import { api, ask } from "@/api/client";
import { searchTenants, searchTokens, searchUsers } from "@/api/names";
import { isOperator, useIdentity } from "@/api/session";
import { tokenClientsQuery } from "@/api/tokenClients";
import { isTokenValue } from "@/api/tokenValue";
import { readWhole } from "@/api/whole";
import { agentName } from "@/components/agent";
import { emptyText } from "@/components/emptyText";
import { RemoteSelect } from "@/components/RemoteSelect";
import { isComposing, useTyped } from "@/components/typed";
import { spanOf } from "@/components/usage/range";
import { isNone } from "@/components/usage/series";
import { useSummary } from "@/components/usage/useSummary";
import { statusWord } from "@/components/values";
import { channelsQuery } from "@/pages/operator/catalog/queries";

import { isFiltered, noFilters, outcomes, requestFilter, tagFilter, type LogFilters } from "./filters";
import { reasons } from "./refusals";
import { TimeFilter } from "./TimeFilter";

interface BarProps {
  filters: LogFilters;
  /** Leaves out the filters that refused calls do not have. */
  refused: boolean;
  set: (change: LogFilters) => void;
  clear: () => void;
}

const wide: { base: string; xs: number } = { base: "calc(50% - 5px)", xs: 150 };

/** Shows the filters of the usage logs. */
export function LogFilterBar({ filters, refused, set: change, clear }: BarProps) {
  const identity = useIdentity();
  // Any other filter ends the search for one request.
  const set = (part: LogFilters) => change({ request: undefined, ...part });
  return (
    <Group gap="xs" role="search" aria-label={t`Filters`}>
      <TextFilter
        label={t`Request ID`}
        value={filters.request}
        maxLength={60}
        width={{ base: "100%", xs: 190 }}
        fault={(typed) => requestFilter(typed) === undefined && t`Not a request ID, see the header x-request-id.`}
        onChange={(typed) => set(typed ? { ...noFilters, request: requestFilter(typed) } : { request: undefined })}
      />
      <TimeFilter value={filters} onChange={set} />
      <ModelFilter value={filters.model} onChange={(model) => set({ model })} />
      <RemoteSelect
        kind="tokens"
        aria-label={t`Token`}
        placeholder={t`All tokens`}
        w={wide}
        search={searchTokens}
        value={filters.token}
        onChange={(token) => set({ token, client: undefined })}
      />
      {isOperator(identity) && (
        <RemoteSelect
          kind="tenants"
          aria-label={t`Tenant`}
          placeholder={t`All tenants`}
          w={wide}
          search={searchTenants}
          value={filters.tenant}
          onChange={(tenant) => set({ tenant })}
        />
      )}
      {identity.user.role !== "member" && (
        <RemoteSelect
          kind="users"
          aria-label={t`User`}
          placeholder={t`All users`}
          w={wide}
          search={(text) => searchUsers(identity, text)}
          value={filters.user}
          onChange={(user) => set({ user })}
        />
      )}
      {refused ? (
        <Select
          aria-label={t`Reason`}
          placeholder={t`Any reason`}
          clearable
          w={wide}
          data={reasons(filters.reason)}
          value={filters.reason ?? null}
          onChange={(reason) => set({ reason: reason ?? undefined })}
        />
      ) : (
        <>
          <ChannelFilter value={filters.channel} onChange={(channel) => set({ channel })} />
          <Select
            aria-label={t`Status`}
            placeholder={t`Any status`}
            clearable
            w={{ base: "calc(50% - 5px)", xs: 130 }}
            data={outcomes.map((value) => ({ value, label: statusWord(value) }))}
            value={filters.outcome ?? null}
            onChange={(value) => set({ outcome: outcomes.find((one) => one === value) })}
          />
          {filters.token && (
            <ClientFilter token={filters.token} value={filters.client} onChange={(client) => set({ client })} />
          )}
          <TextFilter
            label={t`End user`}
            value={filters.end_user}
            maxLength={128}
            fault={secretFault}
            onChange={(end_user) => set({ end_user })}
          />
          <TextFilter
            label={t`Tag`}
            placeholder={t`Tag: name=value`}
            value={filters.tag}
            maxLength={161}
            fault={(typed) => tagFilter(typed) === undefined && t`Use the form name=value.`}
            onChange={(tag) => set({ tag })}
          />
        </>
      )}
      {isFiltered(filters) && (
        <Anchor component="button" type="button" size="sm" onClick={clear}>
          <Trans>Clear filters</Trans>
        </Anchor>
      )}
    </Group>
  );
}

/** Refuses the value of a token, because filters get into the address of the page. */
const secretFault = (text: string) => isTokenValue(text) && t`This is the value of a token. Filter by its name.`;

interface TextFilterProps {
  label: string;
  placeholder?: string;
  value: string | undefined;
  maxLength: number;
  width?: typeof wide;
  /** Returns what is wrong with a text that is not empty, or false. */
  fault?: (typed: string) => string | false;
  onChange: (value: string | undefined) => void;
}

/**
 * Holds the text of a filter, which is applied by `settle`. A text with a fault is not applied, and the fault is shown
 * until the text is changed.
 */
function useTextFilter({ value = "", fault, onChange }: Pick<TextFilterProps, "value" | "fault" | "onChange">) {
  const { typed, setTyped, setReported } = useTyped(value);
  const [refused, setRefused] = useState<string>();
  const settle = (entered = typed) => {
    const text = entered.trim();
    if (text !== "" && fault?.(text)) setRefused(entered);
    else if (text !== value) {
      setReported(text);
      onChange(text || undefined);
    }
  };
  return {
    settle,
    input: {
      value: typed,
      error: refused === typed && fault?.(typed.trim()),
      onChange: (text: string) => {
        setTyped(text);
        setRefused(undefined);
      },
      onBlur: () => settle(),
      onKeyDown: (event: KeyboardEvent) => event.key === "Enter" && !isComposing(event) && settle(),
    },
  };
}

/** Filters by a text, which is applied on Enter and on blur. */
function TextFilter({ label, placeholder, maxLength, width = wide, ...filter }: TextFilterProps) {
  const { input } = useTextFilter(filter);
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder ?? label}
      maxLength={maxLength}
      w={width}
      {...input}
      onChange={(event) => input.onChange(event.currentTarget.value)}
    />
  );
}

function ModelFilter({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (model: string | undefined) => void;
}) {
  const operator = isOperator(useIdentity());
  const { input, settle } = useTextFilter({ value, fault: secretFault, onChange });
  const [focused, setFocused] = useState(false);
  const models = useQuery({
    queryKey: operator ? ["operator", "model-ids"] : ["model-ids"],
    queryFn: async () => {
      const found = operator
        ? await ask(api.GET("/api/operator/models", { params: { query: { limit: 200 } } }))
        : await readWhole((query) => ask(api.GET("/api/models", { params: { query } })));
      return found.items.map(({ id }) => id);
    },
    staleTime: 300_000,
    enabled: focused,
  });
  // Typing alone does not filter: the model is applied on Enter, on blur or when an option is chosen.
  return (
    <Autocomplete
      aria-label={t`Model`}
      placeholder={t`All models`}
      data={models.data ?? []}
      {...input}
      onChange={(text) => {
        input.onChange(text);
        if (text === "") settle("");
      }}
      onFocus={() => setFocused(true)}
      onOptionSubmit={settle}
      limit={50}
      maxLength={200}
      clearable
      w={wide}
    />
  );
}

/** Filters by the address and the program from which a token was used. */
function ClientFilter({
  token,
  value,
  onChange,
}: {
  token: string;
  value: string | undefined;
  onChange: (client: string | undefined) => void;
}) {
  const found = useQuery(tokenClientsQuery(token));
  const { data } = found;
  const clients = useMemo(() => {
    const names = new Map(
      (data?.items ?? []).flatMap(({ id, address, agent }) => (id ? [[id, `${address} ${agentName(agent)}`]] : [])),
    );
    if (value && !names.has(value)) names.set(value, value.slice(-8));
    return [...names].map(([id, label]) => ({ value: id, label }));
  }, [data, value]);
  return (
    <Select
      aria-label={t`Client`}
      placeholder={t`All clients`}
      searchable
      clearable
      w={wide}
      data={clients}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      nothingFoundMessage={emptyText(found)}
    />
  );
}

/**
 * Filters by channel. It offers operators all channels, and other users those that served calls in the last 90 days:
 * their names come from the usage summary, because only operators may list channels. For operators the summary would
 * add up the usage of all tenants.
 */
function ChannelFilter({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (channel: string | undefined) => void;
}) {
  const [from] = useState(() => spanOf("90d", Date.now()).from);
  const [focused, setFocused] = useState(false);
  const operator = isOperator(useIdentity());
  const wanted = focused || value !== undefined;
  const all = useQuery({ ...channelsQuery, enabled: wanted && operator });
  const used = useSummary({ from, by: "channel" }, wanted && !operator);
  const channels = useMemo(() => {
    const names = new Map(
      operator
        ? all.data?.items.map(({ id, name }) => [id, name])
        : used.data?.filter((row) => !isNone(row.value)).map((row) => [row.value, row.name]),
    );
    if (value && !names.has(value)) names.set(value, value.slice(-8));
    return [...names].map(([id, label]) => ({ value: id, label }));
  }, [operator, all.data, used.data, value]);
  return (
    <Select
      aria-label={t`Channel`}
      placeholder={t`All channels`}
      searchable
      clearable
      w={wide}
      data={channels}
      value={value ?? null}
      onFocus={() => setFocused(true)}
      onChange={(id) => onChange(id ?? undefined)}
      nothingFoundMessage={emptyText(operator ? all : used)}
    />
  );
}
