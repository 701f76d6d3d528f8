import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Button, Group, Stack, Text, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconBellCheck } from "@tabler/icons-react";

import { api, ask, type Schema } from "@/api/client";
import { messageOf } from "@/api/problem";
import { DataTable, type Column } from "@/components/DataTable";
import { Pager } from "@/components/Pager";
import { Section } from "@/components/Section";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment } from "@/components/values";

import { refreshAlerts, useDestinations } from "./queries";

type Alert = Schema<"Alert">;
type Delivery = Schema<"AlertDelivery">;

const states: Record<Delivery["state"], { word: MessageDescriptor; color: string }> = {
  waiting: { word: msg`Waiting`, color: "blue" },
  delivered: { word: msg`Delivered`, color: "green" },
  failed: { word: msg`Failed`, color: "red" },
};

const refresh = 5_000; // milliseconds, while a delivery waits

/** Lists the alerts, newest first, with the state of their deliveries. */
export function History() {
  const destinations = useDestinations();
  const names = new Map(destinations.data?.items.map(({ id, name }) => [id, name]));
  const pages = usePages(
    ["alerts"],
    (after) => ask(api.GET("/api/alerts", { params: { query: { after, limit: 20 } } })),
    { refetchInterval: refresh },
  );
  const columns: Column<Alert>[] = [
    {
      id: "time",
      header: t`Time`,
      width: 150,
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Moment at={created_at} clock />,
    },
    {
      id: "alert",
      header: t`Alert`,
      value: ({ title, text }) => `${title}. ${text}`,
      cell: ({ title, text }) => (
        <>
          <Text component="div" inherit fw={500}>
            {title}
          </Text>
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        </>
      ),
    },
    {
      id: "deliveries",
      header: t`Deliveries`,
      width: 300,
      value: ({ deliveries }) =>
        deliveries
          .map(
            ({ destination_id, state }) =>
              `${names.get(destination_id) ?? destination_id}: ${i18n._(states[state].word)}`,
          )
          .join("; "),
      cell: (alert) => <Deliveries alert={alert} names={names} />,
    },
  ];
  return (
    <Section title={t`History`} description={<Trans>Alerts are kept for 400 days.</Trans>}>
      <DataTable
        table="alerts"
        whole={pages.whole}
        caption={t`History of alerts`}
        columns={columns}
        rows={pages.rows}
        rowKey={({ id }) => id}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        skeletonRows={3}
        empty={
          <EmptyState icon={IconBellCheck} title={t`Nothing was reported yet`}>
            <Trans>Alerts of your rules, and tests, appear here.</Trans>
          </EmptyState>
        }
        footer={<Pager pages={pages} />}
      />
    </Section>
  );
}

async function retry(id: string) {
  try {
    await ask(api.POST("/api/alerts/{id}/retry", { params: { path: { id } } }));
    await refreshAlerts();
  } catch (error) {
    notifications.show({ message: messageOf(error), color: "red" });
  }
}

function Deliveries({ alert, names }: { alert: Alert; names: Map<string, string> }) {
  if (alert.deliveries.length === 0)
    return (
      <span className="dimmed">
        <Trans>Not sent</Trans>
      </span>
    );
  const { title } = alert;
  return (
    <Stack gap={4}>
      {alert.deliveries.map((delivery) => (
        <Group key={delivery.destination_id} gap={6} wrap="nowrap" justify="inherit">
          <Tooltip label={delivery.error} disabled={!delivery.error} multiline maw={320}>
            <Badge color={states[delivery.state].color} miw="max-content" tabIndex={delivery.error ? 0 : undefined}>
              {i18n._(states[delivery.state].word)}
            </Badge>
          </Tooltip>
          <Text component="span" size="sm" truncate>
            {names.get(delivery.destination_id)}
          </Text>
        </Group>
      ))}
      {alert.deliveries.some(({ state }) => state === "failed") && (
        <div>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={t`Send again: ${title}`}
            onClick={() => void retry(alert.id)}
          >
            <Trans>Send again</Trans>
          </Button>
        </div>
      )}
    </Stack>
  );
}
