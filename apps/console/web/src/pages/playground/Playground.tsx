import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { platformQuery } from "@/api/platform";
import { isOperator, useIdentity } from "@/api/session";
import { Page } from "@/components/Page";
import { EmptyState, ErrorState, LoadingState } from "@/components/states";

import { Workbench } from "./Workbench";

/**
 * Calls models from the console. It shows the cost and the speed of each call, and the code that makes the same call.
 */
export function Playground() {
  const identity = useIdentity();
  const platform = useQuery(platformQuery);
  const models = useQuery({ queryKey: ["models"], queryFn: () => ask(api.GET("/api/models")), enabled: !isOperator(identity) });
  if (isOperator(identity)) {
    return (
      <Page title="Playground">
        <EmptyState title="Operators have no tokens">Sign in as a user of a tenant to call models.</EmptyState>
      </Page>
    );
  }
  const failed = platform.error ?? models.error;
  if (failed && (!platform.data || !models.data)) {
    return (
      <Page title="Playground">
        <ErrorState error={failed} retry={() => void Promise.all([platform.refetch(), models.refetch()])} />
      </Page>
    );
  }
  if (!platform.data || !models.data) return <LoadingState />;
  if (platform.data.relay_url === "") {
    return (
      <Page title="Playground">
        <EmptyState title="This console has no playground">It was not told where the relay is. The operator sets TOLLGATE_RELAY_URL.</EmptyState>
      </Page>
    );
  }
  return <Workbench userId={identity.user.id} base={platform.data.relay_url} models={models.data.items} />;
}
