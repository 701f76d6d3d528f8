import { t } from "@lingui/core/macro";
import { Drawer, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { ErrorState } from "@/components/states";

import { findCall } from "./findCall";
import { LogDetail } from "./LogDetail";
import { RefusedDetail } from "./RefusedDetail";

/** Shows the receipt of the log whose id is in the address. */
export function LogDrawer({ id, close }: { id: string | undefined; close: () => void }) {
  return (
    <Drawer
      opened={id !== undefined}
      onClose={close}
      title={t`Receipt`}
      size="lg"
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      {id && <Found id={id} />}
    </Drawer>
  );
}

function Found({ id }: { id: string }) {
  const query = useQuery({ queryKey: ["usage-logs", "one", id], queryFn: () => findCall(id), staleTime: Infinity });
  if (query.data?.log) return <LogDetail log={query.data.log} />;
  if (query.data?.refused) return <RefusedDetail call={query.data.refused} />;
  if (query.error) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  return (
    <Stack>
      <Skeleton h={70} />
      <Skeleton h={180} />
      <Skeleton h={120} />
    </Stack>
  );
}
