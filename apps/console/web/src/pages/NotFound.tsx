import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconMapQuestion } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { EmptyState } from "@/components/states";

/** Shows that the address leads to no page. */
export function NotFound() {
  useDocumentTitle(`${t`Not found`} · Tollgate`);
  return (
    <EmptyState
      icon={IconMapQuestion}
      title={t`Page not found`}
      action={
        <Button component={Link} to="/" variant="default" mt="xs">
          <Trans>Go to the overview</Trans>
        </Button>
      }
    >
      <Trans>The address is wrong, or you have no access to this page.</Trans>
    </EmptyState>
  );
}
