import { Trans } from "@lingui/react/macro";
import { Alert } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { onlineManager } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

const subscribe = (changed: () => void) => onlineManager.subscribe(changed);

/** Says that the browser is offline. When it is online again, pages read their data again by themselves. */
export function Offline() {
  const online = useSyncExternalStore(subscribe, () => onlineManager.isOnline());
  if (online) return null;
  return (
    <Alert color="yellow" radius={0} role="status" icon={<IconPlugConnectedX size={18} />}>
      <Trans>You are offline. This page shows the data it has already loaded.</Trans>
    </Alert>
  );
}
