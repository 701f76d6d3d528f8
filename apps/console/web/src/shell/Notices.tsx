import { useNotifications } from "@mantine/notifications";
import { useState } from "react";

import { lazyPart } from "@/components/lazyPart";

const Notifications = lazyPart(() => import("./Notifications"));

/** Shows notifications. Their code is loaded with the first notification. */
export function Notices() {
  const { notifications } = useNotifications();
  const [wanted, setWanted] = useState(false);
  if (!wanted && notifications.length > 0) setWanted(true);
  return wanted && <Notifications use={notifications.length} position="bottom-right" />;
}
