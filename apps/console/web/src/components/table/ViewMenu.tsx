import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ActionIcon, Button, Checkbox, Divider, Group, Popover, ScrollArea, Stack, Text } from "@mantine/core";
import { IconAdjustmentsHorizontal, IconChevronDown, IconChevronUp, IconFileSpreadsheet } from "@tabler/icons-react";
import { useState } from "react";

import { SegmentedControl } from "@/components/SegmentedControl";

import classes from "./ViewMenu.module.css";
import { densities, type Density } from "./views";

/** A column as the menu lists it. */
export interface Choice {
  id: string;
  header: string;
  /** Whether the column is part of the table. */
  visible: boolean;
  /** Whether the user added it, so that it is visible on narrow screens too. */
  kept: boolean;
}

interface ViewMenuProps {
  /** The columns that can be moved and removed, in their order. */
  choices: Choice[];
  /** Returns the columns that are hidden because the screen is narrow. */
  narrow: () => ReadonlySet<string>;
  show: (id: string, visible: boolean) => void;
  move: (id: string, by: -1 | 1) => void;
  density: Density;
  setDensity: (density: Density) => void;
  /** Returns to the default columns; undefined if the user changed nothing. */
  reset: (() => void) | undefined;
  /** Saves what is seen as a file; undefined if there are no rows. */
  save: (() => void) | undefined;
  /** Which headers sort: all of a whole list, some of a list that the API sorts. */
  sorts: "all" | "some" | "none";
}

/** The menu in which users arrange a table: its density, its columns and their order. It also saves the rows as CSV. */
export function ViewMenu(props: ViewMenuProps) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" shadow="md" width={300} trapFocus returnFocus>
      <Popover.Target>
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          leftSection={<IconAdjustmentsHorizontal size={15} aria-hidden />}
          onClick={() => setOpened(!opened)}
        >
          <Trans context="how a table looks">View</Trans>
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="sm">{opened && <Content {...props} />}</Popover.Dropdown>
    </Popover>
  );
}

function Content({ choices, narrow, show, move, density, setDensity, reset, save, sorts }: ViewMenuProps) {
  const names = { comfortable: t`Comfortable`, compact: t`Compact` };
  return (
    <Stack gap="xs">
      <SegmentedControl
        fullWidth
        aria-label={t`Density`}
        data={densities.map((value) => ({ value, label: names[value] }))}
        value={density}
        onChange={setDensity}
      />
      <Columns choices={choices} narrow={narrow} show={show} move={move} />
      {sorts === "none" && (
        <Text size="xs" c="dimmed">
          <Trans>Columns sort when all rows fit on one page. Narrow the filters to sort.</Trans>
        </Text>
      )}
      {sorts === "some" && (
        <Text size="xs" c="dimmed">
          <Trans>The headers with arrows sort all pages. The other columns sort when all rows fit on one page.</Trans>
        </Text>
      )}
      <Divider />
      <Group justify="space-between" gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconFileSpreadsheet size={14} aria-hidden />}
          disabled={!save}
          onClick={save}
        >
          <Trans>Download CSV</Trans>
        </Button>
        <Button size="xs" variant="subtle" color="gray" disabled={!reset} onClick={reset}>
          <Trans>Reset columns</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

function Columns({
  choices: columns,
  narrow,
  show,
  move,
}: Pick<ViewMenuProps, "choices" | "narrow" | "show" | "move">) {
  const [unseen] = useState(narrow);
  return (
    <ScrollArea.Autosize mah={300} type="auto" offsetScrollbars="present">
      <ul className={classes["columns"]} aria-label={t`Columns`}>
        {columns.map(({ id, header, visible, kept }, i) => (
          <li key={id} className={classes["column"]}>
            <Checkbox
              size="xs"
              label={header}
              checked={visible && (kept || !unseen.has(id))}
              onChange={(event) => show(id, event.currentTarget.checked)}
            />
            <Group gap={0} wrap="nowrap">
              <ActionIcon
                size={24}
                aria-label={t`Move ${header} up`}
                aria-disabled={i === 0}
                data-disabled={i === 0 || undefined}
                onClick={() => move(id, -1)}
              >
                <IconChevronUp size={14} aria-hidden />
              </ActionIcon>
              <ActionIcon
                size={24}
                aria-label={t`Move ${header} down`}
                aria-disabled={i === columns.length - 1}
                data-disabled={i === columns.length - 1 || undefined}
                onClick={() => move(id, 1)}
              >
                <IconChevronDown size={14} aria-hidden />
              </ActionIcon>
            </Group>
          </li>
        ))}
      </ul>
    </ScrollArea.Autosize>
  );
}
