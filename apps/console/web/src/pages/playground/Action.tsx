import { Button } from "@mantine/core";
import type { TablerIcon } from "@tabler/icons-react";

import classes from "./Playground.module.css";

/** A button that shows only its icon on a phone. */
export function Action({
  icon: Icon,
  label,
  onClick,
  disabled,
}: {
  icon: TablerIcon;
  label: string;
  onClick: () => void;
  disabled?: boolean;
}) {
  return (
    <Button
      size="xs"
      variant="default"
      className={classes["action"]}
      aria-label={label}
      title={label}
      onClick={onClick}
      {...(disabled !== undefined && { disabled })}
    >
      <Icon size={15} />
      <span className={classes["label"]}>{label}</span>
    </Button>
  );
}
