import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Card, Checkbox, Group, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconRoute } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { findTokens } from "@/api/names";
import { emptyText } from "@/components/emptyText";
import { Page } from "@/components/Page";
import { RemoteSelect } from "@/components/RemoteSelect";
import { SegmentedControl } from "@/components/SegmentedControl";
import { EmptyState, ErrorState, LoadingState } from "@/components/states";
import { groupsQuery, modelsQuery } from "@/pages/operator/catalog/queries";

import { Plan } from "./Plan";
import { needs, estimate, questionOf, type RoutingSearch } from "./question";

const route = getRouteApi("/signed-in/operator/routing");

/** Explains the routing of a call with the given caller, model and features. No upstream is called. */
export function Routing() {
  const search = route.useSearch();
  const question = questionOf(search);
  const plan = useQuery({
    queryKey: ["operator", "routing", question],
    queryFn: () =>
      ask(
        api.POST("/api/operator/routing/explain", { body: question ?? { model: "", endpoint: "chat", ...estimate } }),
      ),
    enabled: question !== undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title={t`Explain routing`}
      parent={{ to: "/operator/channels", label: t`Channels` }}
      description={t`Shows which channels a call would try, in which order, and why others are skipped. Nothing is called. Health is as last reported by the relays.`}
    >
      <Card>
        <Question search={search} again={question && (() => void plan.refetch())} />
      </Card>
      <div aria-live="polite" aria-busy={plan.isFetching}>
        {!question ? (
          <EmptyState icon={IconRoute} title={t`Choose a caller and a model`}>
            <Trans>The planned attempts appear here.</Trans>
          </EmptyState>
        ) : plan.data ? (
          <Plan answer={plan.data} />
        ) : plan.error ? (
          <ErrorState error={plan.error} retry={() => void plan.refetch()} title={t`Couldn't explain the routing`} />
        ) : (
          <LoadingState />
        )}
      </div>
    </Page>
  );
}

const endpoints = [
  { value: "chat", label: "Chat completions" },
  { value: "responses", label: "Responses" },
  { value: "messages", label: "Messages" },
  { value: "embeddings", label: "Embeddings" },
] as const; // not translated: names of endpoints

const callers = () => [
  { value: "group", label: t`Group` },
  { value: "token", label: t`Token` },
];

function Question({ search, again }: { search: RoutingSearch; again: (() => void) | undefined }) {
  const navigate = route.useNavigate();
  const set = (change: RoutingSearch) => void navigate({ search: { ...search, ...change }, replace: true });
  const models = useQuery(modelsQuery);
  const [caller, setCaller] = useState(search.token ? "token" : "group");
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: "end" }}>
        <Stack gap={2}>
          <Group justify="space-between" align="flex-end">
            <Text size="sm" fw={500}>
              <Trans>Caller</Trans>
            </Text>
            <SegmentedControl aria-label={t`Type of caller`} data={callers()} value={caller} onChange={setCaller} />
          </Group>
          {caller === "group" ? <GroupSelect search={search} set={set} /> : <TokenSelect search={search} set={set} />}
        </Stack>
        <Select
          label={t`Model`}
          placeholder={t`Choose a model`}
          searchable
          limit={100}
          data={models.data?.items.map(({ id }) => id) ?? []}
          value={search.model ?? null}
          allowDeselect={false}
          onChange={(model) => set({ model: model ?? undefined })}
          nothingFoundMessage={emptyText(models, t`No matching models`)}
        />
      </SimpleGrid>
      <Group justify="space-between" align="flex-end">
        <Group gap="lg">
          <SegmentedControl
            aria-label={t`Endpoint`}
            data={endpoints}
            value={search.endpoint ?? "chat"}
            onChange={(endpoint) => set({ endpoint: endpoint === "chat" ? undefined : endpoint })}
          />
          {needs.map(({ flag, label }) => (
            <Checkbox
              key={flag}
              label={i18n._(label)}
              checked={search[flag] ?? false}
              onChange={(event) => set({ [flag]: event.currentTarget.checked || undefined })}
            />
          ))}
        </Group>
        {again && (
          <Button size="xs" variant="default" onClick={again}>
            <Trans>Refresh</Trans>
          </Button>
        )}
      </Group>
    </Stack>
  );
}

interface CallerProps {
  search: RoutingSearch;
  set: (change: RoutingSearch) => void;
}

function GroupSelect({ search, set }: CallerProps) {
  const groups = useQuery(groupsQuery);
  return (
    <Select
      aria-label={t`Group`}
      placeholder={t`Choose a group`}
      searchable
      limit={100}
      data={groups.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      value={search.group ?? null}
      onChange={(group) => set({ group: group ?? undefined, token: undefined })}
      allowDeselect={false}
      nothingFoundMessage={emptyText(groups, t`No matching groups`)}
    />
  );
}

const named = (token: Schema<"Token">) => ({ id: token.id, name: `${token.name}, ${token.user_email}` });

function TokenSelect({ search, set }: CallerProps) {
  return (
    <RemoteSelect
      kind="operator-tokens"
      aria-label={t`Token`}
      placeholder={t`Search tokens`}
      value={search.token}
      onChange={(token) => set({ token, group: undefined })}
      search={async (text) => (await findTokens(text)).map(named)}
    />
  );
}
