import { Alert, List, Stack, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { EmptyState } from "@/components/states";
import { Status } from "@/components/values";
import { plural } from "@/format/number";

import { summaryOf } from "./manifest";
import { Faults } from "./Faults";

type ImportedThing = Schema<"ImportedThing">;

const columns: Column<ImportedThing>[] = [
  { header: "What", width: 140, cell: ({ action }) => <Status value={action === "created" ? "ok" : "running"}>{action === "created" ? "Created" : "Changed"}</Status> },
  { header: "Thing", width: 160, cell: ({ thing }) => thing.charAt(0).toUpperCase() + thing.slice(1).replaceAll("_", " ") },
  { header: "Name", cell: ({ name }) => name },
];

interface ResultProps {
  result: Schema<"ImportResult">;
  manifest?: string;
  goTo?: (line: number) => void;
}

/** Shows the changes that an import made, or would make. */
export function Result({ result, manifest, goTo }: ResultProps) {
  if (result.faults.length > 0) return <Faults faults={result.faults} {...(manifest !== undefined && { manifest })} {...(goTo && { goTo })} />;
  return (
    <Stack gap="sm">
      <Alert color={result.applied ? "green" : "blue"} title={result.applied ? `Applied: ${summaryOf(result)}` : `Applying it would do this: ${summaryOf(result)}`}>
        {result.tokens > 0 && `${plural(result.tokens, "token")} without a given value ${result.applied ? (result.tokens === 1 ? "was" : "were") : "will be"} made. `}
        {result.applied ? "Relays know it within a second." : "Nothing was changed yet."}
      </Alert>
      {result.warnings.length > 0 && (
        <Alert color="yellow" title="What an import cannot do">
          <List>{result.warnings.map((warning) => <List.Item key={warning}>{warning}</List.Item>)}</List>
        </Alert>
      )}
      <DataTable
        caption="Things made and changed" columns={columns} rows={result.deeds.slice(0, 200)} rowKey={({ action, thing, name }) => `${action} ${thing} ${name}`}
        empty={<EmptyState icon={IconCircleCheck} title="All is as declared">The platform has everything that the manifest asks for.</EmptyState>}
        footer={result.changes > Math.min(200, result.deeds.length) && <Text size="sm" c="dimmed" p="md">and {result.changes - Math.min(200, result.deeds.length)} more</Text>}
      />
    </Stack>
  );
}
