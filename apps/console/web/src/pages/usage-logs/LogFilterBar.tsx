import { Anchor, Autocomplete, Group, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { api, ask } from "@/api/client";
import { searchTenants, searchTokens, searchUsers } from "@/api/names";
import { isOperator, useIdentity } from "@/api/session";
import { RemoteSelect } from "@/components/RemoteSelect";
import { spanOf } from "@/components/usage/range";
import { useSummary } from "@/components/usage/useSummary";

import { isFiltered, outcomes, type LogFilters } from "./filters";
import { TimeFilter } from "./TimeFilter";

interface BarProps {
  filters: LogFilters;
  set: (change: LogFilters) => void;
  clear: () => void;
}

const wide = { base: "calc(50% - 5px)", xs: 150 };

/** Shows the filters of the usage logs. */
export function LogFilterBar({ filters, set, clear }: BarProps) {
  const identity = useIdentity();
  return (
    <Group gap="xs" role="search" aria-label="Filters">
      <TimeFilter value={filters} onChange={set} />
      <ModelFilter key={filters.model} value={filters.model} onChange={(model) => set({ model })} />
      <RemoteSelect kind="tokens" aria-label="Token" placeholder="All tokens" w={wide} search={searchTokens} value={filters.token} onChange={(token) => set({ token })} />
      {isOperator(identity) && <RemoteSelect kind="tenants" aria-label="Tenant" placeholder="All tenants" w={wide} search={searchTenants} value={filters.tenant} onChange={(tenant) => set({ tenant })} />}
      {identity.user.role !== "member" && <RemoteSelect kind="users" aria-label="User" placeholder="All users" w={wide} search={(text) => searchUsers(identity, text)} value={filters.user} onChange={(user) => set({ user })} />}
      <ChannelFilter value={filters.channel} onChange={(channel) => set({ channel })} />
      <Select
        aria-label="Status"
        placeholder="Any status"
        clearable
        w={{ base: "calc(50% - 5px)", xs: 130 }}
        data={outcomes.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) }))}
        value={filters.outcome ?? null}
        onChange={(value) => set({ outcome: outcomes.find((one) => one === value) })}
      />
      {isFiltered(filters) && <Anchor component="button" type="button" size="sm" onClick={clear}>Clear filters</Anchor>}
    </Group>
  );
}

function ModelFilter({ value, onChange }: { value: string | undefined; onChange: (model: string | undefined) => void }) {
  const operator = isOperator(useIdentity());
  const [typed, setTyped] = useState(value ?? "");
  const models = useQuery({
    queryKey: ["model-ids", operator],
    queryFn: async () => {
      const found = operator ? await ask(api.GET("/api/operator/models", { params: { query: { limit: 200 } } })) : await ask(api.GET("/api/models"));
      return found.items.map(({ id }) => id);
    },
    staleTime: 300_000,
  });
  // Typing alone does not filter: the model is applied on Enter, on blur or when an option is chosen.
  const settle = (text: string) => text.trim() !== (value ?? "") && onChange(text.trim() || undefined);
  return (
    <Autocomplete
      aria-label="Model"
      placeholder="All models"
      data={models.data ?? []}
      value={typed}
      onChange={(text) => { setTyped(text); if (text === "") settle(""); }}
      onOptionSubmit={settle}
      onBlur={() => settle(typed)}
      onKeyDown={(event) => event.key === "Enter" && settle(typed)}
      limit={50}
      maxLength={200}
      clearable
      w={wide}
    />
  );
}

/**
 * Filters by channel. It offers the channels that served calls in the last 90 days. Their names come from the usage
 * summary because only operators may list channels.
 */
function ChannelFilter({ value, onChange }: { value: string | undefined; onChange: (channel: string | undefined) => void }) {
  const [from] = useState(() => spanOf("90d", Date.now()).from);
  const { data } = useSummary({ from, by: "channel" });
  const channels = useMemo(() => {
    const names = new Map((data ?? []).filter((row) => row.name !== "").map((row) => [row.value, row.name]));
    if (value && !names.has(value)) names.set(value, value.slice(-8));
    return [...names].map(([id, label]) => ({ value: id, label }));
  }, [data, value]);
  return <Select aria-label="Channel" placeholder="All channels" searchable clearable w={wide} data={channels} value={value ?? null} onChange={(id) => onChange(id ?? undefined)} nothingFoundMessage="Nothing found" />;
}
