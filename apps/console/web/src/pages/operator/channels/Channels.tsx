import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Select, Skeleton, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconRoute } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useRef } from "react";

import { api, ask } from "@/api/client";
import { AllCheckbox } from "@/components/table/AllCheckbox";
import { type Selection, useSelection } from "@/components/table/useSelection";
import { Page } from "@/components/Page";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState, ErrorState } from "@/components/states";
import { statusWord } from "@/components/values";
import { showCount } from "@/format/number";
import { channelsHealthQuery, channelsQuery, maxRows, type Channel } from "@/pages/operator/catalog/queries";

import { ChannelSelection } from "./bulk/ChannelSelection";
import { ChannelEditor } from "./ChannelEditor";
import { firstBytes } from "./health";
import { tagsOf } from "./tags";
import { filtered, tiersOf, type ChannelFilter } from "./tiers";
import { TierTable, type Measurements } from "./TierTable";
import { channelTypes } from "./types";

const route = getRouteApi("/signed-in/operator/channels");

/** Lists all channels in the order in which calls try them. */
export function Channels() {
  const filter = route.useSearch();
  const channels = useQuery(channelsQuery);
  const measurements = useMeasurements();
  const [creating, editor] = useDisclosure();
  const selection = useSelection();
  const selectAll = useRef<HTMLInputElement>(null);
  const all = channels.data?.items;
  const found = filtered(all ?? [], filter);
  const most = showCount(maxRows);
  return (
    <Page
      wide
      title={t`Channels`}
      description={t`The upstreams that serve your models. A call tries the lowest priority number first. Within a priority, channels share the calls by weight.`}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconRoute size={16} />}
            renderRoot={(props) => <Link to="/operator/routing" {...props} />}
          >
            <Trans>Explain routing</Trans>
          </Button>
          <Button leftSection={<IconPlus size={16} />} onClick={editor.open}>
            <Trans>New channel</Trans>
          </Button>
        </>
      }
    >
      {all && all.length > 0 && <Filters filter={filter} channels={all} />}
      {channels.data?.more && (
        <Alert color="yellow">
          <Trans>Only the first {most} channels are shown.</Trans>
        </Alert>
      )}
      {found.length > 0 && (
        <AllCheckbox
          ref={selectAll}
          selection={selection}
          keys={found.map(({ id }) => id)}
          label={plural(found.length, { one: "Select # channel", other: "Select all # channels" })}
        />
      )}
      {all ? (
        <Tiers
          none={all.length === 0}
          channels={found}
          filter={filter}
          measurements={measurements}
          selection={selection}
          create={editor.open}
        />
      ) : channels.error ? (
        <ErrorState error={channels.error} retry={() => void channels.refetch()} />
      ) : (
        <Stack aria-busy>
          <Skeleton h={170} radius="lg" />
          <Skeleton h={120} radius="lg" />
        </Stack>
      )}
      {all && <ChannelSelection selection={selection} all={all} shown={found} after={selectAll} />}
      <ChannelEditor opened={creating} close={editor.close} />
    </Page>
  );
}

interface TiersProps {
  /** Whether there is no channel at all. */
  none: boolean;
  /** The channels that match the filter. */
  channels: Channel[];
  filter: ChannelFilter;
  measurements: Measurements;
  selection: Selection;
  create: () => void;
}

function Tiers({ none, channels, filter, measurements, selection, create }: TiersProps) {
  const navigate = route.useNavigate();
  if (none) {
    return (
      <EmptyState
        icon={IconRoute}
        title={t`No channels yet`}
        action={
          <Button onClick={create}>
            <Trans>New channel</Trans>
          </Button>
        }
      >
        <Trans>A channel is one upstream: its address, its credentials and the models that it serves.</Trans>
      </EmptyState>
    );
  }
  const tiers = tiersOf(channels);
  if (tiers.length === 0) {
    return (
      <EmptyState
        icon={IconRoute}
        title={t`No matching channels`}
        action={
          <Button variant="default" onClick={() => void navigate({ search: {}, replace: true })}>
            <Trans>Show all channels</Trans>
          </Button>
        }
      >
        {filter.model
          ? t`No channel serves this model and matches the other filters.`
          : t`No channel has this text in its name, address or models.`}
      </EmptyState>
    );
  }
  return (
    <Stack gap="lg">
      {tiers.map((tier, place) => (
        <TierTable
          key={tier.priority}
          tier={tier}
          place={place}
          model={filter.model}
          measurements={measurements}
          selection={selection}
        />
      ))}
    </Stack>
  );
}

function Filters({ filter, channels }: { filter: ChannelFilter; channels: Channel[] }) {
  const navigate = route.useNavigate();
  const set = (change: ChannelFilter) => void navigate({ search: { ...filter, ...change }, replace: true });
  const tags = [...new Set([...tagsOf(channels), ...(filter.tag ? [filter.tag] : [])])];
  const models = [...new Set(channels.flatMap((channel) => Object.keys(channel.models)))].sort();
  return (
    <Group gap="xs">
      <SearchInput
        label={t`Search channels`}
        value={filter.search ?? ""}
        onSearch={(search) => set({ search: search || undefined })}
      />
      <Select
        aria-label={t`Model`}
        placeholder={t`Any model`}
        searchable
        clearable
        limit={100}
        data={models}
        value={filter.model ?? null}
        onChange={(model) => set({ model: model ?? undefined })}
        w={{ base: "100%", sm: 240 }}
        nothingFoundMessage={t`No matching models`}
      />
      <Select
        aria-label={t`Type`}
        placeholder={t`Any type`}
        clearable
        data={channelTypes().map(({ value }) => ({ value, label: value }))}
        value={filter.type ?? null}
        onChange={(type) => set({ type: type ?? undefined })}
        w={{ base: "47%", sm: 130 }}
      />
      <Select
        aria-label={t`Status`}
        placeholder={t`Any status`}
        clearable
        data={statuses.map((value) => ({ value, label: statusWord(value) }))}
        value={filter.status ?? null}
        onChange={(status) => set({ status: statuses.find((word) => word === status) })}
        w={{ base: "47%", sm: 140 }}
      />
      {tags.length > 0 && (
        <Select
          aria-label={t`Tag`}
          placeholder={t`Any tag`}
          searchable
          clearable
          data={tags}
          value={filter.tag ?? null}
          onChange={(tag) => set({ tag: tag ?? undefined })}
          w={{ base: "100%", sm: 160 }}
          nothingFoundMessage={t`No matching tags`}
        />
      )}
    </Group>
  );
}

const statuses = ["enabled", "disabled"] as const;

const day = 24 * 3600_000;

/**
 * Reads the health, the calls of the last 24 hours and the latest first-byte times of all channels, each with one
 * request.
 */
function useMeasurements(): Measurements {
  const health = useQuery(channelsHealthQuery);
  const calls = useQuery({
    queryKey: ["operator", "calls-by-channel"],
    queryFn: async () => {
      const { items } = await ask(
        api.GET("/api/usage-summary", {
          params: { query: { by: "channel", from: new Date(Date.now() - day).toISOString() } },
        }),
      );
      return new Map(items.map((row) => [row.value, row]));
    },
    refetchInterval: 30_000,
  });
  const latest = useQuery({
    queryKey: ["operator", "latest-calls"],
    queryFn: async () =>
      firstBytes((await ask(api.GET("/api/usage-logs", { params: { query: { limit: 200 } } }))).items),
    refetchInterval: 30_000,
  });
  return { health: health.data, calls: calls.data, firstBytes: latest.data };
}
