import { Button } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconMapQuestion } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { EmptyState } from "@/components/states";

/** Shows that the address leads to no page. */
export function NotFound() {
  useDocumentTitle("Not found · Tollgate");
  return (
    <EmptyState
      icon={IconMapQuestion}
      title="There is nothing here"
      action={
        <Button component={Link} to="/" variant="default" mt="xs">
          Go to the overview
        </Button>
      }
    >
      The address is wrong, or what it led to is not yours to see.
    </EmptyState>
  );
}
