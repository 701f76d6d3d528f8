import { t } from "@lingui/core/macro";
import {
  IconBook2,
  IconBuilding,
  IconCpu,
  IconKey,
  IconKeyboard,
  IconPlus,
  IconReceipt,
  IconRoute,
  type TablerIcon,
} from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { searchTenants, searchTokens } from "@/api/names";
import type { Role } from "@/api/session";
import { isTokenValue } from "@/api/tokenValue";
import { readWhole } from "@/api/whole";
import { type ChannelStatus, channelStatus, noHealth } from "@/components/channels/status";
import { channelsHealthQuery, channelsQuery, modelsQuery } from "@/pages/operator/catalog/queries";

import { docsUrl } from "./docs";
import { sectionsOf } from "./navigation";

/** What a command opens: a page of the console, another document, a tab, or the list of shortcuts. */
type Opens =
  | { to: string; search?: Record<string, string | boolean> }
  | { document: string }
  | { tab: string }
  | { shortcuts: true };

/** A line of the command palette. */
export interface PaletteCommand {
  key: string;
  label: string;
  description?: string;
  icon: TablerIcon;
  opens: Opens;
}

/** The lines below a common label. */
export interface CommandGroup {
  label: string;
  commands: PaletteCommand[];
}

interface Named {
  id: string;
  name: string;
}

/** What the API finds for a query. */
export interface PaletteData {
  tokens: Named[];
  models: string[];
  tenants: Named[];
  channels: (Named & { status?: ChannelStatus | undefined })[];
}

const nothing: PaletteData = { tokens: [], models: [], tenants: [], channels: [] };

/** The maximum number of lines of each kind of object. */
const most = 6;

const matches = (query: string) => (text: string) => text.toLowerCase().includes(query.toLowerCase());

/** Searches the objects of the palette. A list that cannot be read is left out. */
export function usePaletteData(role: Role, query: string, opened: boolean): { data: PaletteData; loading: boolean } {
  const operator = role === "operator";
  const enabled = opened && query !== "";
  const staleTime = 60_000;
  const tokens = useQuery({
    queryKey: ["palette", "tokens", query],
    queryFn: () => searchTokens(query, most),
    enabled,
    placeholderData: keepPreviousData,
  });
  const tenants = useQuery({
    queryKey: ["palette", "tenants", query],
    queryFn: () => searchTenants(query, most),
    enabled: enabled && operator && !isTokenValue(query),
    placeholderData: keepPreviousData,
  });
  const models = useQuery({
    queryKey: ["models"],
    queryFn: () => readWhole((query) => ask(api.GET("/api/models", { params: { query } }))),
    enabled: enabled && !operator,
    staleTime,
  });
  const catalog = useQuery({ ...modelsQuery, enabled: enabled && operator, staleTime });
  const channels = useQuery({ ...channelsQuery, enabled: enabled && operator, staleTime });
  const health = useQuery({ ...channelsHealthQuery, enabled: enabled && operator });
  if (!enabled) return { data: nothing, loading: false };
  const found = matches(query);
  return {
    data: {
      tokens: tokens.data ?? [],
      tenants: tenants.data ?? [],
      models: [...(models.data?.items ?? []), ...(catalog.data?.items ?? [])]
        .map(({ id }) => id)
        .filter(found)
        .slice(0, most),
      channels: (channels.data?.items ?? [])
        .filter(({ name }) => found(name))
        .slice(0, most)
        .map(({ id, name, status }) => ({
          id,
          name,
          status: health.data && channelStatus(status, health.data.get(id) ?? noHealth),
        })),
    },
    loading: [tokens, tenants, models, catalog, channels, health].some(({ isFetching }) => isFetching),
  };
}

const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function pages(role: Role): PaletteCommand[] {
  const links = sectionsOf(role).flatMap((section) => section.links);
  return links.map(({ to, label, icon, reload }) => ({
    key: to,
    label,
    icon,
    opens: reload ? { document: to } : { to },
  }));
}

function actions(role: Role): PaletteCommand[] {
  return [
    ...(role === "operator"
      ? []
      : [
          {
            key: "create-token",
            label: t`Create token`,
            icon: IconPlus,
            opens: { to: "/tokens", search: { create: true } },
          },
        ]),
    { key: "docs", label: t`Documentation`, icon: IconBook2, opens: { tab: docsUrl() } },
    { key: "shortcuts", label: t`Keyboard shortcuts`, icon: IconKeyboard, opens: { shortcuts: true as const } },
  ];
}

/** Returns the lines of the palette for a query, without groups that are empty. */
export function commandGroups(role: Role, query: string, data: PaletteData): CommandGroup[] {
  const found = matches(query);
  const operator = role === "operator";
  const groups: CommandGroup[] = [
    {
      label: t`Request`,
      commands: requestId.test(query)
        ? [
            {
              key: "request",
              label: t`Open the receipt of this request`,
              description: query,
              icon: IconReceipt,
              opens: { to: "/usage-logs", search: { log: query.toLowerCase() } },
            },
          ]
        : [],
    },
    { label: t`Pages`, commands: pages(role).filter(({ label }) => found(label)) },
    {
      label: t`Tokens`,
      commands: data.tokens.map(({ id, name }) => ({
        key: id,
        label: name,
        icon: IconKey,
        opens: { to: `/tokens/${id}` },
      })),
    },
    {
      label: t`Models`,
      commands: data.models.map((id) =>
        operator
          ? { key: id, label: id, icon: IconCpu, opens: { to: `/operator/models/${encodeURIComponent(id)}` } }
          : { key: id, label: id, icon: IconCpu, opens: { to: `/models/${encodeURIComponent(id)}` } },
      ),
    },
    {
      label: t`Tenants`,
      commands: data.tenants.map(({ id, name }) => ({
        key: id,
        label: name,
        icon: IconBuilding,
        opens: { to: `/operator/tenants/${id}` },
      })),
    },
    {
      label: t`Channels`,
      commands: data.channels.map(({ id, name, status }) => ({
        key: id,
        label: name,
        ...(status && { description: `${status.word}: ${status.reasons[0]}` }),
        icon: IconRoute,
        opens: { to: `/operator/channels/${id}` },
      })),
    },
    { label: t`Actions`, commands: actions(role).filter(({ label }) => found(label)) },
  ];
  return groups.filter(({ commands }) => commands.length > 0);
}
