import { useNotifications } from "@mantine/notifications";
import { lazy, Suspense, useState } from "react";

const Notifications = lazy(() => import("./Notifications"));

/** Where notices appear, loaded with the first of them. */
export function Notices() {
  const { notifications } = useNotifications();
  const [wanted, setWanted] = useState(false);
  if (!wanted && notifications.length > 0) setWanted(true);
  return wanted && <Suspense><Notifications position="bottom-right" /></Suspense>;
}
