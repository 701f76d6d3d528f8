import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Switch } from "@mantine/core";
import { IconFileExport } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { isOperator, useIdentity } from "@/api/session";
import { Page } from "@/components/Page";
import { SegmentedControl } from "@/components/SegmentedControl";
import { useListOrder } from "@/components/table/useListOrder";

import { ExportDialog } from "./ExportDialog";
import { ExportsPopover } from "./ExportsPopover";
import { filtersOf, type LogSearch, logSorts } from "./filters";
import { LogDrawer } from "./LogDrawer";
import { LogFilterBar } from "./LogFilterBar";
import { LogList, OneLog } from "./LogList";
import { RefusedCalls } from "./RefusedCalls";
import { isLive, useLogPages } from "./useLogPages";

const route = getRouteApi("/signed-in/usage-logs");

/** Lists the calls that the signed-in user may see, newest first unless the user sorts them. */
export function UsageLogs() {
  const identity = useIdentity();
  const search = route.useSearch();
  const { live, log, show } = search;
  const refused = show === "refused";
  const filters = filtersOf(search);
  const navigate = useNavigate({ from: "/usage-logs" });
  const [exporting, setExporting] = useState(false);
  const change = (part: Partial<LogSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: part.log === undefined });
  const clear = () =>
    void navigate({ search: { ...(live === false && { live }), ...(show && { show }) }, replace: true });
  const { order, query } = useListOrder({ columns: logSorts, search, set: change });
  const logs = useLogPages({ filters, order: query, wanted: live !== false && !refused });
  const list = { clear, open: (row: { id: string }) => change({ log: row.id }) };
  const { state, pages } = logs;
  // Turning it on means to see the newest requests, so it also leads back to them.
  const turn = (on: boolean) => {
    if (on) pages.newest();
    change(on ? { live: undefined, sort: undefined, order: undefined } : { live: false });
  };
  return (
    <Page
      wide
      title={t`Usage logs`}
      description={
        isOperator(identity)
          ? t`Every request of every tenant that reached a model, with the quota deducted for it.`
          : t`Every request that reached a model, with the quota deducted for it.`
      }
      actions={
        <>
          <SegmentedControl
            aria-label={t`Which requests`}
            data={[
              { value: "logs", label: t`Usage logs` },
              { value: "refused", label: t`Refused` },
            ]}
            value={refused ? "refused" : "logs"}
            onChange={(value) =>
              change({ show: value === "refused" ? "refused" : undefined, reason: undefined, request: undefined })
            }
          />
          <Switch
            label={t`Live`}
            checked={isLive(state)}
            disabled={state === "ended" || refused}
            onChange={(event) => turn(event.currentTarget.checked)}
          />
          <ExportsPopover />
          <Button
            variant="default"
            leftSection={<IconFileExport size={16} />}
            disabled={filters.request !== undefined || refused}
            onClick={() => setExporting(true)}
          >
            <Trans>Export</Trans>
          </Button>
        </>
      }
    >
      <LogFilterBar filters={filters} refused={refused} set={change} clear={clear} />
      {refused && filters.request === undefined ? (
        <RefusedCalls filters={filters} set={change} {...list} />
      ) : filters.request === undefined ? (
        <LogList key={JSON.stringify(filters)} {...list} filters={filters} order={order} logs={logs} />
      ) : (
        <OneLog {...list} id={filters.request} />
      )}
      <LogDrawer id={log} close={() => change({ log: undefined })} />
      <ExportDialog opened={exporting} close={() => setExporting(false)} filters={filters} />
    </Page>
  );
}
