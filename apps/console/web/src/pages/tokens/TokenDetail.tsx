import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Card, SimpleGrid, Skeleton, Title } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { isAdmin, isOperator, useIdentity } from "@/api/session";
import { readWhole } from "@/api/whole";
import { ButtonLink } from "@/components/links";
import { Page } from "@/components/Page";
import { ErrorState } from "@/components/states";
import { UsageByModel } from "@/components/usage/UsageByModel";
import { Status } from "@/components/values";

import { stateOf } from "./form";
import { PermissionList } from "./PermissionList";
import { TokenClients } from "./TokenClients";
import { TokenDescription } from "./TokenDescription";
import { TokenDrawer } from "./TokenForm";
import { TokenLimits } from "./TokenLimits";
import { TokenMenu } from "./TokenMenu";
import { TokenValue } from "./TokenValue";
import { useTokenActions } from "./useTokenActions";

const route = getRouteApi("/signed-in/tokens/$id");
const parent = () => ({ to: "/tokens", label: t`Tokens` });

/** Shows one token with its usage, its models and its limits. */
export function TokenDetail() {
  const { id } = route.useParams();
  const query = useQuery({
    queryKey: ["tokens", "one", id],
    queryFn: () => ask(api.GET("/api/tokens/{id}", { params: { path: { id } } })),
  });
  if (query.error && !query.data) {
    return (
      <Page title={t`Token`} parent={parent()}>
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      </Page>
    );
  }
  if (!query.data) {
    return (
      <Page title={t`Token`} parent={parent()}>
        <Skeleton h={90} />
        <Skeleton h={320} />
      </Page>
    );
  }
  return <Detail key={id} token={query.data} />;
}

function Detail({ token }: { token: Schema<"Token"> }) {
  const navigate = useNavigate();
  const identity = useIdentity();
  const target = token.id;
  const [created, setCreated] = useState<Schema<"CreatedToken">>();
  const [editing, setEditing] = useState(false);
  const actions = useTokenActions(setCreated);
  const closeValue = () => {
    if (created) void navigate({ to: "/tokens/$id", params: { id: created.id } });
    setCreated(undefined);
  };
  return (
    <Page
      title={token.name}
      parent={parent()}
      aside={<Status value={stateOf(token)} />}
      actions={
        <>
          <ButtonLink variant="default" to="/usage-logs" search={{ token: token.id }}>
            <Trans>Usage logs</Trans>
          </ButtonLink>
          {isAdmin(identity) && (
            <ButtonLink variant="default" to="/audit-log" search={{ target }}>
              <Trans>Audit log</Trans>
            </ButtonLink>
          )}
          {isOperator(identity) && (
            <ButtonLink variant="default" to="/operator/audit-log" search={{ target }}>
              <Trans>Audit log</Trans>
            </ButtonLink>
          )}
          {token.status !== "revoked" && (
            <Button variant="default" leftSection={<IconPencil size={15} />} onClick={() => setEditing(true)}>
              <Trans>Edit</Trans>
            </Button>
          )}
          <TokenMenu token={token} actions={actions} edit={() => setEditing(true)} />
        </>
      }
    >
      <TokenDescription token={token} />
      <UsageByModel token={token.id} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <TokenLimits token={token} />
        {token.status !== "revoked" && (
          <Card>
            <Title order={2} mb="sm">
              <Trans>Models</Trans>
            </Title>
            <Permission token={token} />
          </Card>
        )}
      </SimpleGrid>
      <TokenClients token={token} />
      <TokenDrawer opened={editing} close={() => setEditing(false)} token={token} />
      <TokenValue created={created} close={closeValue} />
    </Page>
  );
}

function Permission({ token }: { token: Schema<"Token"> }) {
  const query = useQuery({
    queryKey: ["token-models", token.id, token.models],
    queryFn: () =>
      readWhole((query) => ask(api.GET("/api/tokens/{id}/models", { params: { path: { id: token.id }, query } }))),
  });
  return <PermissionList models={query.data?.items} error={query.error} />;
}
