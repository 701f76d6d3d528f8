import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Card } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconMessage, IconPencil, IconPlayerPlay } from "@tabler/icons-react";
import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";

import { api, ask } from "@/api/client";
import { hasStatus } from "@/api/problem";
import { channelStatus } from "@/components/channels/status";
import { StatusOfChannel } from "@/components/channels/StatusOfChannel";
import { lazyPart } from "@/components/lazyPart";
import { confirm } from "@/components/confirm";
import { DescriptionList } from "@/components/DescriptionList";
import { ButtonLink } from "@/components/links";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { ErrorState, LoadingState } from "@/components/states";
import { channelHealthQuery, channelQuery, type Channel, type ChannelHealth } from "@/pages/operator/catalog/queries";
import { NotFound } from "@/pages/NotFound";

import { ChannelCosts } from "./ChannelCosts";
import { ChannelEditor } from "./ChannelEditor";
import { ChannelModels } from "./ChannelModels";
import { CredentialTable } from "./CredentialTable";
import { ChannelDescription, settingItems } from "./description";
import { RelayTable } from "./RelayTable";
import { TestModal } from "./TestModal";
import { UnpricedTable } from "./UnpricedTable";

const ChannelUsage = lazyPart(async () => ({ default: (await import("./ChannelUsage")).ChannelUsage }));

const route = getRouteApi("/signed-in/operator/channels/$id");

/** Shows one channel with its settings, its health and its actions. */
export function ChannelPage() {
  const { id } = route.useParams();
  const query = useQuery(channelQuery(id));
  if (query.data) return <Shown key={query.data.id} channel={query.data} />;
  if (hasStatus(query.error, 404, 400)) return <NotFound />;
  return query.error ? <ErrorState error={query.error} retry={() => void query.refetch()} /> : <LoadingState />;
}

function Shown({ channel }: { channel: Channel }) {
  const health = useQuery(channelHealthQuery(channel.id));
  const { range } = route.useSearch();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [editing, editor] = useDisclosure();
  const [testing, test] = useDisclosure();
  const settings = settingItems(channel);
  return (
    <Page
      title={channel.name}
      parent={{ to: "/operator/channels", label: t`Channels` }}
      aside={<StatusOfChannel setting={channel.status} health={health.data} />}
      description={health.data && <StatusReasons setting={channel.status} health={health.data} />}
      actions={
        <>
          <ButtonLink variant="default" to="/operator/audit-log" search={{ target: channel.id }}>
            <Trans>Audit log</Trans>
          </ButtonLink>
          <ButtonLink
            variant="default"
            leftSection={<IconMessage size={16} />}
            to="/operator/playground"
            search={{ channel: channel.id }}
          >
            <Trans>Try</Trans>
          </ButtonLink>
          <Button variant="default" leftSection={<IconPlayerPlay size={16} />} onClick={test.open}>
            <Trans>Test</Trans>
          </Button>
          <Button variant="default" leftSection={<IconPencil size={16} />} onClick={editor.open}>
            <Trans>Edit</Trans>
          </Button>
          <Button
            variant={channel.status === "enabled" ? "light" : "filled"}
            color={channel.status === "enabled" ? "red" : undefined}
            onClick={() => switchChannel(client, channel)}
          >
            {channel.status === "enabled" ? <Trans>Disable</Trans> : <Trans>Enable</Trans>}
          </Button>
        </>
      }
    >
      <Card>
        <ChannelDescription channel={channel} />
      </Card>
      {settings.length > 0 && (
        <Section title={t`Settings`} description={t`Advanced settings of this channel.`}>
          <Card>
            <DescriptionList items={settings} />
          </Card>
        </Section>
      )}
      <ChannelUsage
        waiting={<LoadingState />}
        id={channel.id}
        range={range ?? "24h"}
        onRange={(next) =>
          void navigate({
            to: "/operator/channels/$id",
            params: { id: channel.id },
            search: { range: next },
            replace: true,
            resetScroll: false,
          })
        }
      />
      <Section
        title={t`Credentials`}
        description={t`Relays don't use a credential that the upstream refuses until a probe succeeds or an operator enables it.`}
      >
        <CredentialTable channel={channel} health={health.data} error={health.error} edit={editor.open} />
      </Section>
      <Section
        title={t`Health by relay`}
        description={t`Failures of calls that relays report now, by upstream model and credential. They are tried after all others.`}
      >
        <RelayTable health={health.data} error={health.error} />
      </Section>
      <ChannelCosts channel={channel} />
      <Section
        title={t`Charges without a price`}
        description={t`Calls for which the provider charged something that the model has no price for. You pay the difference.`}
      >
        <UnpricedTable channelId={channel.id} />
      </Section>
      <Section title={t`Models`}>
        <ChannelModels channel={channel} />
      </Section>
      <ChannelEditor opened={editing} close={editor.close} channel={channel} />
      <TestModal opened={testing} close={test.close} channel={channel} />
    </Page>
  );
}

/** Says why the channel has its status. */
function StatusReasons({ setting, health }: { setting: string; health: ChannelHealth }) {
  return channelStatus(setting, health)
    .reasons.slice(0, 3)
    .map((reason) => (
      <span key={reason} style={{ display: "block" }}>
        {reason}
      </span>
    ));
}

function switchChannel(client: QueryClient, channel: Channel) {
  const { name } = channel;
  const enabled = channel.status === "enabled";
  const act = async () => {
    await ask(
      api.PATCH("/api/operator/channels/{id}", {
        params: { path: { id: channel.id } },
        body: { status: enabled ? "disabled" : "enabled" },
      }),
    );
    await client.invalidateQueries({ queryKey: ["operator"] });
    notifications.show({
      color: "green",
      message: enabled ? t`Channel ${name} disabled.` : t`Channel ${name} enabled.`,
    });
  };
  confirm({
    title: enabled ? t`Disable ${name}?` : t`Enable ${name}?`,
    children: enabled
      ? t`Relays stop sending calls to it within a second. Calls in progress continue. Models that no other channel serves become unavailable.`
      : t`Relays send calls to it again within a second.`,
    confirm: enabled ? t`Disable` : t`Enable`,
    harmless: !enabled,
    act,
  });
}
