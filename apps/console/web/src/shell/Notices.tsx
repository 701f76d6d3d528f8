import { useNotifications } from "@mantine/notifications";
import { lazy, Suspense, useState } from "react";

const Notifications = lazy(() => import("./Notifications"));

/** Shows notifications. Their code is loaded with the first notification. */
export function Notices() {
  const { notifications } = useNotifications();
  const [wanted, setWanted] = useState(false);
  if (!wanted && notifications.length > 0) setWanted(true);
  return (
    wanted && (
      <Suspense>
        <Notifications position="bottom-right" />
      </Suspense>
    )
  );
}
