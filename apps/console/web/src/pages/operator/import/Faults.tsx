import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";

import type { Schema } from "@/api/client";
import { plural } from "@/format/number";

import { shownFaults } from "./manifest";
import classes from "./Import.module.css";

interface FaultsProps {
  faults: Schema<"CatalogueFault">[];
  /** The manifest with the faults; absent if the page no longer has its text. */
  manifest?: string;
  /** Moves the cursor of the editor to a line of the manifest. */
  goTo?: (line: number) => void;
}

/** Lists the faults of a manifest, each with its line. */
export function Faults({ faults, manifest = "", goTo }: FaultsProps) {
  return (
    <Card role="alert">
      <Title order={2} c="var(--tollgate-bad)">
        {plural(faults.length, "mistake")} in the manifest
      </Title>
      <Text c="dimmed" size="sm">
        Nothing was changed.
      </Text>
      <Stack gap="md" mt="sm">
        {shownFaults(faults, manifest).map(({ fault, lines }) => (
          <div key={`${fault.line} ${fault.key} ${fault.text}`}>
            <Group gap="xs">
              <Text fw={500}>
                {fault.line > 0 && `Line ${fault.line}: `}
                {fault.text}
              </Text>
              {fault.line > 0 && goTo && (
                <Button size="compact-xs" variant="default" onClick={() => goTo(fault.line)}>
                  Go to the line
                </Button>
              )}
            </Group>
            {fault.key && (
              <Text size="sm" c="dimmed" className="mono">
                {fault.key}
              </Text>
            )}
            {lines.length > 0 && (
              <div className={classes["excerpt"]} tabIndex={0} role="group" aria-label={`The manifest around line ${fault.line}`}>
                {lines.map(({ number, text }) => (
                  <div key={number} className={classes["line"]} data-fault={number === fault.line || undefined}>
                    <span className={classes["number"]}>{number}</span>
                    <span>{text || " "}</span>
                  </div>
                ))}
              </div>
            )}
          </div>
        ))}
      </Stack>
    </Card>
  );
}
