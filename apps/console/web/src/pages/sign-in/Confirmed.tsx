import { Alert, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect } from "react";

import { confirmedChannel } from "@/api/confirmation";

import { PublicFrame } from "./PublicFrame";
import { reasonOf } from "./ways";

const route = getRouteApi("/confirmed");

/** The page to which the identity provider returns after a confirmation, in a tab of its own. */
export function Confirmed() {
  const { error } = route.useSearch();
  const reason = reasonOf(error);
  useEffect(() => {
    if (reason) return;
    const channel = new BroadcastChannel(confirmedChannel);
    channel.postMessage(true);
    channel.close();
    window.close(); // browsers close only tabs that a page opened
  }, [reason]);
  return (
    <PublicFrame title={reason ? "Not confirmed" : "Confirmed"} description="Close this tab to go on in the console.">
      {reason ? (
        <Alert color="red" role="alert">
          {reason}
        </Alert>
      ) : (
        <Text>You have signed in again.</Text>
      )}
    </PublicFrame>
  );
}
