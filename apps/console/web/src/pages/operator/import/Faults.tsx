import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";

import type { Schema } from "@/api/client";

import { shownFaults } from "./manifest";
import classes from "./Import.module.css";

type Fault = Schema<"CatalogueFault">;

interface FaultsProps {
  faults: Fault[];
  /** The manifest with the faults; absent if the page no longer has its text. */
  manifest?: string;
  /** Moves the cursor of the editor to a line of the manifest. */
  goTo?: (line: number) => void;
}

const atLine = ({ line, text }: Fault) => t`Line ${line}: ${text}`;
const around = ({ line }: Fault) => t`The manifest around line ${line}`;

/** Lists the faults of a manifest, each with its line. */
export function Faults({ faults, manifest = "", goTo }: FaultsProps) {
  const count = faults.length;
  return (
    <Card role="alert">
      <Title order={2} c="var(--tollgate-bad)">
        {plural(count, { one: "# error in the manifest", other: "# errors in the manifest" })}
      </Title>
      <Text c="dimmed" size="sm">
        <Trans>Nothing was changed.</Trans>
      </Text>
      <Stack gap="md" mt="sm">
        {shownFaults(faults, manifest).map(({ fault, lines }) => (
          <div key={`${fault.line} ${fault.key} ${fault.text}`}>
            <Group gap="xs">
              <Text fw={500}>{fault.line > 0 ? atLine(fault) : fault.text}</Text>
              {fault.line > 0 && goTo && (
                <Button size="compact-xs" variant="default" onClick={() => goTo(fault.line)}>
                  <Trans>Go to line</Trans>
                </Button>
              )}
            </Group>
            {fault.key && (
              <Text size="sm" c="dimmed" className="mono">
                {fault.key}
              </Text>
            )}
            {lines.length > 0 && (
              <div className={classes["excerpt"]} tabIndex={0} role="group" aria-label={around(fault)}>
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
