import { Button, Card } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconPencil, IconPlayerPlay } from "@tabler/icons-react";
import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";

import { api, ask } from "@/api/client";
import { hasStatus } from "@/api/problem";
import { confirm } from "@/components/confirm";
import { DescriptionList } from "@/components/DescriptionList";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { ErrorState, LoadingState } from "@/components/states";
import { channelHealthQuery, channelQuery, type Channel } from "@/pages/operator/catalog/queries";
import { NotFound } from "@/pages/NotFound";

import { ChannelEditor } from "./ChannelEditor";
import { ChannelModels } from "./ChannelModels";
import { CredentialTable } from "./CredentialTable";
import { ChannelDescription, settingItems } from "./description";
import { Verdict } from "./Health";
import { RelayTable } from "./RelayTable";
import { TestModal } from "./TestModal";

const ChannelUsage = lazy(() => import("./ChannelUsage").then((module) => ({ default: module.ChannelUsage })));

const route = getRouteApi("/signed-in/operator/channels/$id");

/** Shows one channel with its settings, its health and its actions. */
export function ChannelPage() {
  const { id } = route.useParams();
  const query = useQuery(channelQuery(id));
  if (query.data) return <Shown channel={query.data} />;
  if (hasStatus(query.error, 404, 400)) return <NotFound />;
  return query.error ? <ErrorState error={query.error} retry={() => void query.refetch()} /> : <LoadingState />;
}

function Shown({ channel }: { channel: Channel }) {
  const health = useQuery(channelHealthQuery(channel.id));
  const client = useQueryClient();
  const [editing, editor] = useDisclosure();
  const [testing, test] = useDisclosure();
  const settings = settingItems(channel);
  return (
    <Page
      title={channel.name}
      parent={{ to: "/operator/channels", label: "Channels" }}
      aside={<Verdict channel={channel} health={health.data} />}
      actions={
        <>
          <Button variant="default" leftSection={<IconPlayerPlay size={16} />} onClick={test.open}>
            Test
          </Button>
          <Button variant="default" leftSection={<IconPencil size={16} />} onClick={editor.open}>
            Edit
          </Button>
          <Button variant={channel.status === "enabled" ? "light" : "filled"} color={channel.status === "enabled" ? "red" : undefined} onClick={() => switchChannel(client, channel)}>
            {channel.status === "enabled" ? "Disable" : "Enable"}
          </Button>
        </>
      }
    >
      <Card>
        <ChannelDescription channel={channel} />
      </Card>
      {settings.length > 0 && (
        <Section title="Settings" description="What is different about this upstream.">
          <Card>
            <DescriptionList items={settings} />
          </Card>
        </Section>
      )}
      <Suspense fallback={<LoadingState />}>
        <ChannelUsage id={channel.id} />
      </Suspense>
      <Section title="Credentials" description="Relays leave a credential alone that its upstream refuses, until a probe or an operator finds it good.">
        <CredentialTable channel={channel} health={health.data} error={health.error} edit={editor.open} />
      </Section>
      <Section title="What relays see" description="Upstream models and credentials that failed lately, by relay. They rest, and are tried after all others.">
        <RelayTable health={health.data} error={health.error} />
      </Section>
      <Section title="Models">
        <ChannelModels channel={channel} />
      </Section>
      <ChannelEditor opened={editing} close={editor.close} channel={channel} />
      <TestModal opened={testing} close={test.close} channel={channel} />
    </Page>
  );
}

function switchChannel(client: QueryClient, channel: Channel) {
  const enabled = channel.status === "enabled";
  const act = async () => {
    await ask(api.PATCH("/api/operator/channels/{id}", { params: { path: { id: channel.id } }, body: { status: enabled ? "disabled" : "enabled" } }));
    await client.invalidateQueries({ queryKey: ["operator"] });
    notifications.show({ color: "green", message: `${channel.name} is ${enabled ? "disabled" : "enabled"}.` });
  };
  confirm({
    title: enabled ? `Disable ${channel.name}?` : `Enable ${channel.name}?`,
    children: enabled
      ? "Relays send it no more calls within a second; calls under way end as they would. Models that no other channel serves cannot be called."
      : "Relays send it calls again within a second.",
    confirm: enabled ? "Disable" : "Enable",
    harmless: !enabled,
    act,
  });
}
