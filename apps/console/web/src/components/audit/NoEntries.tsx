import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { IconHistory } from "@tabler/icons-react";

import { NothingSoFar } from "@/components/NothingSoFar";
import { EmptyState } from "@/components/states";

/** Shows that a page of the audit log is empty. `older` goes to the next page, if there is one. */
export function NoEntries({ filtered, older }: { filtered: boolean; older: (() => void) | undefined }) {
  if (older) {
    return (
      <NothingSoFar icon={IconHistory} older={older}>
        <Trans>These filters match few entries. The other entries were not searched yet.</Trans>
      </NothingSoFar>
    );
  }
  return <EmptyState icon={IconHistory} title={filtered ? t`No entries match these filters` : t`No entries yet`} />;
}
