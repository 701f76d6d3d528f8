import { Button, Card, Checkbox, Group, SegmentedControl, Select, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconRoute } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { Page } from "@/components/Page";
import { RemoteSelect } from "@/components/RemoteSelect";
import { EmptyState, ErrorState, LoadingState } from "@/components/states";
import { groupsQuery, modelsQuery } from "@/pages/operator/catalog/queries";

import { Plan } from "./Plan";
import { needs, questionOf, type RoutingSearch } from "./question";

const route = getRouteApi("/signed-in/operator/routing");

/** Explains the routing of a call with the given caller, model and features. No upstream is called. */
export function Routing() {
  const search = route.useSearch();
  const question = questionOf(search);
  const plan = useQuery({
    queryKey: ["operator", "routing", question],
    queryFn: () => ask(api.POST("/api/operator/routing/explain", { body: question ?? { model: "", endpoint: "chat" } })),
    enabled: question !== undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <Page title="Explain routing" parent={{ to: "/operator/channels", label: "Channels" }} description="Which channels a call would try, in which order, and why not the others. Nothing is called: health is what relays said last.">
      <Card>
        <Question search={search} again={question && (() => void plan.refetch())} />
      </Card>
      <div aria-live="polite" aria-busy={plan.isFetching}>
        {!question ? (
          <EmptyState icon={IconRoute} title="Choose a caller and a model">The plan of attempts shows here.</EmptyState>
        ) : plan.data ? (
          <Plan answer={plan.data} />
        ) : plan.error ? (
          <ErrorState error={plan.error} retry={() => void plan.refetch()} title="The routing could not be explained" />
        ) : (
          <LoadingState />
        )}
      </div>
    </Page>
  );
}

const callers = [{ value: "group", label: "Group" }, { value: "token", label: "Token" }];

function Question({ search, again }: { search: RoutingSearch; again: (() => void) | undefined }) {
  const navigate = route.useNavigate();
  const set = (change: RoutingSearch) => void navigate({ search: { ...search, ...change }, replace: true });
  const models = useQuery(modelsQuery);
  const [caller, setCaller] = useState(search.token ? "token" : "group");
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: "end" }}>
        <Stack gap={6}>
          <Group justify="space-between" align="center">
            <Text size="sm" fw={500}>
              Who calls
            </Text>
            <SegmentedControl aria-label="Kind of caller" data={callers} value={caller} onChange={setCaller} />
          </Group>
          {caller === "group" ? <GroupSelect search={search} set={set} /> : <TokenSelect search={search} set={set} />}
        </Stack>
        <Select
          label="Model" placeholder="Choose a model" searchable limit={100} data={models.data?.items.map(({ id }) => id) ?? []} value={search.model ?? null} allowDeselect={false}
          onChange={(model) => set({ model: model ?? undefined })} nothingFoundMessage="No such model"
        />
      </SimpleGrid>
      <Group justify="space-between" align="flex-end">
        <Group gap="lg" align="flex-end">
          <SegmentedControl
            aria-label="Endpoint" data={[{ value: "chat", label: "Chat completions" }, { value: "responses", label: "Responses" }]} value={search.endpoint ?? "chat"}
            onChange={(word) => set({ endpoint: word === "responses" ? "responses" : undefined })}
          />
          {needs.map(({ name, label }) => (
            <Checkbox key={name} label={label} checked={search[name] ?? false} onChange={(event) => set({ [name]: event.currentTarget.checked || undefined })} />
          ))}
        </Group>
        {again && (
          <Button size="xs" variant="default" onClick={again}>
            Ask again
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
      aria-label="Group" placeholder="Choose a group" searchable limit={100} data={groups.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      value={search.group ?? null} onChange={(group) => set({ group: group ?? undefined, token: undefined })} allowDeselect={false} nothingFoundMessage="No such group"
    />
  );
}

const named = (token: Schema<"Token">) => ({ id: token.id, name: `${token.name}, ${token.user_email}` });

function TokenSelect({ search, set }: CallerProps) {
  return (
    <RemoteSelect
      kind="operator-tokens" aria-label="Token" placeholder="Search tokens" value={search.token} onChange={(token) => set({ token, group: undefined })}
      search={async (text) => (await ask(api.GET("/api/tokens", { params: { query: { search: text || undefined, limit: 20 } } }))).items.map(named)}
    />
  );
}
