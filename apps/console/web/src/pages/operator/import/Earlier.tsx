import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, Modal, Stack } from "@mantine/core";
import { IconTableImport } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";

import { api, ask, type Schema } from "@/api/client";
import { useIdentity } from "@/api/session";
import { DataTable, type Column } from "@/components/DataTable";
import { UserName } from "@/components/names";
import { Pager } from "@/components/Pager";
import { EmptyState, ErrorState, LoadingState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment, Status } from "@/components/values";
import { showBytes } from "@/format/number";
import { useJob } from "@/pages/operator/catalog/useJob";

import { Faults } from "./Faults";
import { Result } from "./Result";
import { takeTokens } from "./Tokens";

type Job = Schema<"Job">;

const route = getRouteApi("/signed-in/operator/import");

/** Lists the imports of the last days with their results. The address of the page can name one whose result is open. */
export function Earlier() {
  const identity = useIdentity();
  const { job: opened } = route.useSearch();
  const navigate = useNavigate();
  const setOpened = (job: string | undefined) =>
    // The page stays, and with it a manifest that was typed.
    void navigate({ to: "/operator/import", search: { job }, replace: true, ignoreBlocker: true });
  const pages = usePages(["jobs", "list"], (after) =>
    ask(api.GET("/api/jobs", { params: { query: { limit: 50, ...(after && { after }) } } })),
  );
  const columns: Column<Job>[] = [
    { id: "requested", header: t`Requested`, cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      id: "by",
      header: t`By`,
      cell: ({ user_id }) => (user_id === identity.user.id ? t`You` : <UserName id={user_id} />),
    },
    {
      id: "type",
      header: t`Type`,
      cell: ({ parameters }) => (parameters.catalogue_import?.apply ? t`Import` : t`Preview`),
    },
    {
      id: "size",
      header: t`Size`,
      align: "right",
      cell: ({ parameters }) => showBytes(parameters.catalogue_import?.bytes ?? 0),
      secondary: true,
    },
    { id: "status", header: t`Status`, cell: ({ status }) => <Status value={status} /> },
    {
      id: "actions",
      actions: true,
      header: t`Actions`,
      align: "right",
      cell: (job) => (
        <Group gap={4} justify="flex-end">
          {job.tokens && job.user_id === identity.user.id && (
            <Button size="compact-sm" onClick={() => takeTokens(job.id)}>
              <Trans>Show tokens</Trans>
            </Button>
          )}
          <Button size="compact-sm" variant="subtle" onClick={() => setOpened(job.id)}>
            <Trans>Result</Trans>
          </Button>
        </Group>
      ),
    },
  ];
  return (
    <>
      <DataTable
        caption={t`Earlier imports`}
        columns={columns}
        rows={pages.rows?.filter(({ kind }) => kind === "catalogue_import")}
        rowKey={({ id }) => id}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        skeletonRows={2}
        footer={<Pager pages={pages} />}
        empty={
          pages.older || pages.newer ? (
            <EmptyState icon={IconTableImport} title={t`No imports on this page`}>
              <Trans>It has other jobs only. There can be imports on the other pages.</Trans>
            </EmptyState>
          ) : (
            <EmptyState icon={IconTableImport} title={t`No imports yet`}>
              <Trans>Previews and imports of the last week appear here.</Trans>
            </EmptyState>
          )
        }
      />
      <Modal
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        size={720}
        title={t`Import`}
        closeButtonProps={{ "aria-label": t`Close` }}
      >
        {opened && <Opened id={opened} />}
      </Modal>
    </>
  );
}

function Opened({ id }: { id: string }) {
  const job = useJob(id);
  if (job.error) return <ErrorState error={job.error} />;
  if (!job.data) return <LoadingState />;
  const result = job.data.result?.catalogue_import;
  if (result) return <Result result={result} />;
  return (
    <Stack>
      <Status value={job.data.status} />
      {job.data.error && <Faults faults={[{ line: 0, key: "", text: job.data.error.message }]} />}
    </Stack>
  );
}
