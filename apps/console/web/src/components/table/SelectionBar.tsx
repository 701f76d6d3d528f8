import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, CloseButton, Group, Paper, Text, VisuallyHidden } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";

import classes from "./SelectionBar.module.css";
import { type Selection, withSelected } from "./useSelection";

interface SelectionBarProps {
  selection: Selection;
  /** The keys of the selected rows that exist. */
  selected: readonly string[];
  /** Those of them that the filters hide. */
  hidden: readonly string[];
  /** How many are selected, such as "3 channels selected". */
  label: string;
  /** Called after the user has cleared the selection, to move the focus from the bar. */
  cleared?: () => void;
  /** The buttons. */
  children: ReactNode;
}

/**
 * Shows the actions for the selected rows at the lower edge of the window, how many rows there are, and how many of them
 * are not in sight. Escape clears the selection.
 */
export function SelectionBar({ selection, selected, hidden, label, cleared, children }: SelectionBarProps) {
  const count = hidden.length;
  const clear = () => selection.change({});
  useEscape(selected.length > 0, clear);
  const concealed = plural(count, {
    one: "# of them is hidden by the filters",
    other: "# of them are hidden by the filters",
  });
  return (
    <>
      <VisuallyHidden role="status">
        {selected.length > 0 && label}
        {count > 0 && ` ${concealed}`}
      </VisuallyHidden>
      {selected.length > 0 && (
        <Paper component="section" aria-label={t`Selection`} withBorder shadow="md" className={classes["bar"]}>
          <Group gap={8}>
            <CloseButton
              aria-label={t`Clear the selection`}
              title={t`Clear the selection (Esc)`}
              onClick={() => {
                clear();
                cleared?.();
              }}
            />
            <Text fw={500}>{label}</Text>
          </Group>
          {count > 0 && (
            <Group gap={8}>
              <Text size="sm" c="dimmed">
                {concealed}
              </Text>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => selection.change((state) => withSelected(state, hidden, false))}
              >
                <Trans>Deselect hidden</Trans>
              </Button>
            </Group>
          )}
          <Group gap={6} className={classes["actions"]}>
            {children}
          </Group>
        </Paper>
      )}
    </>
  );
}

/** Reports whether something is open that Escape closes. Closed lists of options stay in the document, hidden. */
const isOpen = () =>
  [...document.querySelectorAll("[role=dialog],[role=menu],[role=listbox]")].some(
    (element) => element.getClientRects().length > 0,
  );

/** Calls `act` when Escape is pressed outside of fields, and while no dialog or menu is open. */
function useEscape(on: boolean, act: () => void) {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent) => {
      const field = event.target instanceof HTMLElement && event.target.matches("input:not([type=checkbox]),textarea");
      if (event.key === "Escape" && !field && !isOpen()) latest.current();
    };
    // Before a dialog closes itself by the same key.
    window.addEventListener("keydown", press, { capture: true });
    return () => window.removeEventListener("keydown", press, { capture: true });
  }, [on]);
}
