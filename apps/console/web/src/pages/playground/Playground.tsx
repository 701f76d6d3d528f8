import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { platformQuery } from "@/api/platform";
import { isOperator, useIdentity } from "@/api/session";
import { readWhole } from "@/api/whole";
import { ButtonLink } from "@/components/links";
import { Page } from "@/components/Page";
import { EmptyState, ErrorState, LoadingState } from "@/components/states";

import { Workbench } from "./Workbench";

/**
 * Calls models from the console. It shows the cost and the speed of each call, and the code that makes the same call.
 */
export function Playground() {
  const identity = useIdentity();
  const platform = useQuery(platformQuery);
  const models = useQuery({
    queryKey: ["models"],
    queryFn: () => readWhole((query) => ask(api.GET("/api/models", { params: { query } }))),
    enabled: !isOperator(identity),
  });
  if (isOperator(identity)) {
    return (
      <Page title={t`Playground`}>
        <EmptyState
          title={t`Operators have no tokens`}
          action={
            <ButtonLink to="/operator/playground" mt="sm">
              <Trans>Open the playground of operators</Trans>
            </ButtonLink>
          }
        >
          <Trans>Operators call the models of a channel instead.</Trans>
        </EmptyState>
      </Page>
    );
  }
  const failed = platform.error ?? models.error;
  if (failed && (!platform.data || !models.data)) {
    return (
      <Page title={t`Playground`}>
        <ErrorState error={failed} retry={() => void Promise.all([platform.refetch(), models.refetch()])} />
      </Page>
    );
  }
  if (!platform.data || !models.data) return <LoadingState />;
  if (platform.data.relay_url === "") {
    return (
      <Page title={t`Playground`}>
        <EmptyState title={t`The playground is not set up`}>
          <Trans>The console doesn't know the address of the relay. The operator can set TOLLGATE_RELAY_URL.</Trans>
        </EmptyState>
      </Page>
    );
  }
  return <Workbench userId={identity.user.id} base={platform.data.relay_url} models={models.data.items} />;
}
