import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";

import { isAdmin, isOperator, useIdentity } from "@/api/session";
import { Page } from "@/components/Page";
import { EmptyState } from "@/components/states";

import { Destinations } from "./Destinations";
import { History } from "./History";
import { Rules } from "./Rules";

/** Shows the rules, destinations and history of alerts: of the tenant, or of the platform for operators. */
export function Alerts() {
  const identity = useIdentity();
  const operator = isOperator(identity);
  if (!operator && !isAdmin(identity)) {
    return (
      <Page title={t`Alerts`}>
        <EmptyState title={t`Alerts are for admins`}>
          <Trans>Ask an admin of your organization for alerts about your quota.</Trans>
        </EmptyState>
      </Page>
    );
  }
  return (
    <Page
      title={t`Alerts`}
      description={
        operator
          ? t`Tells you by mail or webhook when the platform or a customer's quota needs attention.`
          : t`Tells you by mail or webhook before quota runs out, and when spend is unusual.`
      }
    >
      <Rules operator={operator} />
      <Destinations operator={operator} />
      <History />
    </Page>
  );
}
