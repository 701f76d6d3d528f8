import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, List, Stack, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { EmptyState } from "@/components/states";
import { Status } from "@/components/values";
import { showCount } from "@/format/number";

import { summaryOf } from "./manifest";
import { Faults } from "./Faults";

type ImportedThing = Schema<"ImportedThing">;

const kinds: Record<ImportedThing["thing"], MessageDescriptor> = {
  group: msg`Group`,
  group_rule: msg`Price rule`,
  model: msg`Model`,
  price: msg`Price`,
  channel: msg`Channel`,
  tenant: msg`Tenant`,
  user: msg`User`,
  token: msg`Token`,
  operator: msg`Operator`,
};

/**
 * Returns the name of a kind of resource. One that this version of the console does not know is shown as the API names
 * it.
 */
function kindName(thing: ImportedThing["thing"]): string {
  return Object.hasOwn(kinds, thing)
    ? i18n._(kinds[thing])
    : thing.charAt(0).toUpperCase() + thing.slice(1).replaceAll("_", " ");
}

const columnsOf = (): Column<ImportedThing>[] => [
  {
    id: "action",
    header: t`Action`,
    width: 140,
    cell: ({ action }) => (
      <Status value={action === "created" ? "ok" : "running"}>
        {action === "created"
          ? t({ message: "Created", context: "action" })
          : t({ message: "Changed", context: "action" })}
      </Status>
    ),
  },
  { id: "type", header: t`Type`, width: 160, cell: ({ thing }) => kindName(thing) },
  { id: "name", header: t`Name`, cell: ({ name }) => name },
];

interface ResultProps {
  result: Schema<"ImportResult">;
  manifest?: string;
  goTo?: (line: number) => void;
}

function tokensOf({ tokens, applied }: Schema<"ImportResult">): string {
  return applied
    ? plural(tokens, { one: "# token was created with a new value.", other: "# tokens were created with new values." })
    : plural(tokens, {
        one: "# token will be created with a new value.",
        other: "# tokens will be created with new values.",
      });
}

/** Shows the changes that an import made, or would make. */
export function Result({ result, manifest, goTo }: ResultProps) {
  if (result.faults.length > 0)
    return <Faults faults={result.faults} {...(manifest !== undefined && { manifest })} {...(goTo && { goTo })} />;
  const summary = summaryOf(result);
  const rest = result.changes - Math.min(200, result.deeds.length);
  const more = showCount(rest);
  return (
    <Stack gap="sm">
      <Alert
        color={result.applied ? "green" : "blue"}
        title={result.applied ? t`Applied: ${summary}` : t`Preview: ${summary}`}
      >
        {result.tokens > 0 && `${tokensOf(result)} `}
        {result.applied ? t`Takes effect within a second.` : t`Nothing has changed yet.`}
      </Alert>
      {result.warnings.length > 0 && (
        <Alert color="yellow" title={t`Not possible by import`}>
          <List>
            {result.warnings.map((warning) => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <DataTable
        caption={t`Changes`}
        columns={columnsOf()}
        rows={result.deeds.slice(0, 200)}
        rowKey={({ action, thing, name }) => `${action} ${thing} ${name}`}
        empty={
          <EmptyState icon={IconCircleCheck} title={t`No changes`}>
            <Trans>The platform already matches the manifest.</Trans>
          </EmptyState>
        }
        footer={
          rest > 0 && (
            <Text size="sm" c="dimmed" p="md">
              <Trans>and {more} more</Trans>
            </Text>
          )
        }
      />
    </Stack>
  );
}
