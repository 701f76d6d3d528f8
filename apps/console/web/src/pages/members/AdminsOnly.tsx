import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { IconUsers } from "@tabler/icons-react";

import { Page } from "@/components/Page";
import { EmptyState } from "@/components/states";

/** Tells members that they cannot see the pages of members. */
export const AdminsOnly = () => (
  <Page title={t`Members`}>
    <EmptyState icon={IconUsers} title={t`Only admins and owners can see the members`}>
      <Trans>Ask an admin of your organization.</Trans>
    </EmptyState>
  </Page>
);
