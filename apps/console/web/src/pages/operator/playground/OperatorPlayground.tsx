import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";

import { useIdentity } from "@/api/session";
import { ButtonLink } from "@/components/links";
import { Page } from "@/components/Page";
import { EmptyState, ErrorState, LoadingState } from "@/components/states";
import { channelsQuery, modelsQuery } from "@/pages/operator/catalog/queries";

import { chosenChannel } from "./choice";
import { OperatorWorkbench } from "./OperatorWorkbench";

const route = getRouteApi("/signed-in/operator/playground");

/** Calls models of one channel, before tenants do. */
export function OperatorPlayground() {
  const identity = useIdentity();
  const { channel: id, model } = route.useSearch();
  const channels = useQuery(channelsQuery);
  const models = useQuery(modelsQuery);
  const failed = channels.error ?? models.error;
  if (failed && (!channels.data || !models.data)) {
    return (
      <Page title={t`Playground`}>
        <ErrorState error={failed} retry={() => void Promise.all([channels.refetch(), models.refetch()])} />
      </Page>
    );
  }
  if (!channels.data || !models.data) return <LoadingState />;
  const channel = chosenChannel(channels.data.items, id, model);
  if (!channel) {
    return (
      <Page title={t`Playground`}>
        <EmptyState
          title={t`No channels yet`}
          action={
            <ButtonLink to="/operator/channels" mt="sm">
              <Trans>Channels</Trans>
            </ButtonLink>
          }
        >
          <Trans>The playground calls the models of a channel.</Trans>
        </EmptyState>
      </Page>
    );
  }
  return (
    <OperatorWorkbench
      key={channel.id}
      userId={identity.user.id}
      channel={channel}
      channels={channels.data.items}
      models={models.data.items}
      asked={model}
    />
  );
}
