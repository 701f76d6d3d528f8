import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Menu, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconBellRinging, IconPencil, IconPlayerPause, IconPlayerPlay, IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { messageOf } from "@/api/problem";
import { confirm } from "@/components/confirm";
import { DataTable, type Column } from "@/components/DataTable";
import { RowMenu } from "@/components/RowMenu";
import { Section } from "@/components/Section";
import { EmptyState } from "@/components/states";
import { Status } from "@/components/values";

import { describeSubject, describeThresholds, kindLabel, type Rule } from "./kinds";
import { refreshAlerts, useDestinations, useRules } from "./queries";
import { RuleEditor } from "./RuleEditor";

/** Lists the rules, with the buttons to create, edit, pause and delete them. */
export function Rules({ operator }: { operator: boolean }) {
  const rules = useRules();
  const destinations = useDestinations();
  const [edited, setEdited] = useState<Rule | "new">();
  const names = new Map(destinations.data?.items.map(({ id, name }) => [id, name]));
  const sentTo = (rule: Rule) =>
    rule.destinations
      .map((id) => names.get(id))
      .filter(Boolean)
      .join(", ");
  const columns: Column<Rule>[] = [
    {
      id: "name",
      header: t`Name`,
      value: ({ name }) => name,
      cell: ({ name }) => (
        <Text component="span" inherit fw={500}>
          {name}
        </Text>
      ),
    },
    {
      id: "watches",
      header: t`Watches`,
      value: (rule) => `${kindLabel(rule.kind)}, ${describeSubject(rule, !operator)}`,
      cell: (rule) => (
        <>
          <div>{kindLabel(rule.kind)}</div>
          <Text size="sm" c="dimmed">
            {describeSubject(rule, !operator)}
          </Text>
        </>
      ),
    },
    {
      id: "thresholds",
      header: t`Thresholds`,
      width: 180,
      value: (rule) => describeThresholds(rule),
      cell: (rule) => describeThresholds(rule) || "–",
    },
    {
      id: "sent_to",
      header: t`Sent to`,
      value: sentTo,
      cell: (rule) =>
        sentTo(rule) || (
          <span className="dimmed">
            <Trans>History only</Trans>
          </span>
        ),
    },
    {
      id: "status",
      header: t`Status`,
      width: 120,
      value: ({ status }) => status,
      cell: ({ status }) => <Status value={status} />,
    },
    {
      id: "actions",
      actions: true,
      header: t`Actions`,
      width: 90,
      align: "right",
      cell: (rule) => <RuleMenu rule={rule} edit={() => setEdited(rule)} />,
    },
  ];
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited("new")}>
      <Trans>Create rule</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Rules`}
      description={
        <Trans>Each threshold is reported once: for a budget in each period, for a quota after each grant.</Trans>
      }
      actions={rules.data?.items.length ? create : undefined}
    >
      <DataTable
        table="alert-rules"
        whole
        caption={t`Rules of alerts`}
        columns={columns}
        rows={rules.data?.items}
        rowKey={({ id }) => id}
        faded={({ status }) => status === "disabled"}
        error={rules.error}
        retry={() => void rules.refetch()}
        skeletonRows={3}
        empty={
          <EmptyState icon={IconBellRinging} title={t`No alert rules yet`} action={create}>
            <Trans>A rule says what to watch, and where to report it.</Trans>
          </EmptyState>
        }
      />
      <RuleEditor edited={edited} close={() => setEdited(undefined)} operator={operator} />
    </Section>
  );
}

async function setStatus(rule: Rule, status: Rule["status"]) {
  try {
    await ask(api.PATCH("/api/alert-rules/{id}", { params: { path: { id: rule.id } }, body: { status } }));
    await refreshAlerts();
  } catch (error) {
    notifications.show({ message: messageOf(error), color: "red" });
  }
}

function remove({ id, name }: Rule) {
  confirm({
    title: t`Delete this rule?`,
    children: (
      <Text>
        <Trans>
          <b>{name}</b> reports nothing more. Its alerts stay in the history.
        </Trans>
      </Text>
    ),
    confirm: t`Delete`,
    act: async () => {
      await ask(api.DELETE("/api/alert-rules/{id}", { params: { path: { id } } }));
      await refreshAlerts();
    },
  });
}

function RuleMenu({ rule, edit }: { rule: Rule; edit: () => void }) {
  const { name } = rule;
  return (
    <RowMenu label={t`Actions for ${name}`} width={200}>
      <Menu.Item leftSection={<IconPencil size={16} />} onClick={edit}>
        <Trans>Edit</Trans>
      </Menu.Item>
      {rule.status === "enabled" ? (
        <Menu.Item leftSection={<IconPlayerPause size={16} />} onClick={() => void setStatus(rule, "disabled")}>
          <Trans>Disable</Trans>
        </Menu.Item>
      ) : (
        <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => void setStatus(rule, "enabled")}>
          <Trans>Enable</Trans>
        </Menu.Item>
      )}
      <Menu.Divider />
      <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => remove(rule)}>
        <Trans>Delete</Trans>
      </Menu.Item>
    </RowMenu>
  );
}
