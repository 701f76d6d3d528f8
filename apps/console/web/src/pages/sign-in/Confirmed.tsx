import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect } from "react";

import { confirmedChannel } from "@/api/confirmation";

import { PublicFrame } from "./PublicFrame";
import { claimOf, reasonOf } from "./ways";

const route = getRouteApi("/confirmed");

/** The page to which the identity provider returns after a confirmation, in a tab of its own. */
export function Confirmed() {
  const { error, claim } = route.useSearch();
  const reason = reasonOf(error, claimOf(claim));
  useEffect(() => {
    if (reason) return;
    const channel = new BroadcastChannel(confirmedChannel);
    channel.postMessage(true);
    channel.close();
    window.close(); // browsers close only tabs that a page opened
  }, [reason]);
  return (
    <PublicFrame
      title={reason ? t`Not confirmed` : t`Confirmed`}
      description={t`Close this tab to continue in the console.`}
    >
      {reason ? (
        <Alert color="red" role="alert">
          {reason}
        </Alert>
      ) : (
        <Text>
          <Trans>You have signed in again.</Trans>
        </Text>
      )}
    </PublicFrame>
  );
}
