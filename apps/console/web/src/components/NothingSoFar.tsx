import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import type { TablerIcon } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { EmptyState } from "./states";

interface NothingSoFarProps {
  icon: TablerIcon;
  /** Goes to the next page. */
  older: () => void;
  /** Says what was not searched yet. */
  children: ReactNode;
}

/** Shows that nothing on this page matches the filters, while there are further pages. */
export function NothingSoFar({ icon, older, children }: NothingSoFarProps) {
  return (
    <EmptyState
      icon={icon}
      title={t`Nothing found so far`}
      action={
        <Button variant="default" size="xs" onClick={older}>
          <Trans>Keep searching</Trans>
        </Button>
      }
    >
      {children}
    </EmptyState>
  );
}
