import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";

import { api, ask, type Schema } from "@/api/client";
import { forgetJob, isShown, type OpenJob } from "@/api/jobs";
import { hasStatus } from "@/api/problem";
import { showUsd } from "@/format/money";

type Job = Schema<"Job">;

/** How often the end of a job is looked for, in milliseconds. */
const interval = 3_000;

const isOver = ({ status }: Job) => status !== "queued" && status !== "running";

/**
 * Watches jobs, and shows a notification for each that ends while nothing in sight shows it. It stays until the user
 * closes it.
 */
export default function JobNotices({ jobs }: { jobs: OpenJob[] }) {
  return jobs.map((job) => <JobNotice key={job.id} open={job} />);
}

function JobNotice({ open: { id, path } }: { open: OpenJob }) {
  const router = useRouter();
  const { data, error } = useQuery({
    queryKey: ["jobs", "ended", id],
    queryFn: () => ask(api.GET("/api/jobs/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : interval),
    refetchIntervalInBackground: true,
    staleTime: ({ state }) => (state.data && isOver(state.data) ? Infinity : 0),
  });
  const gone = hasStatus(error, 403, 404);
  useEffect(() => {
    if (gone) forgetJob(id);
    if (!data || !isOver(data)) return;
    if (data.status === "cancelled" || isShown(id)) {
      forgetJob(id);
      return;
    }
    let forget = true;
    const notice = `job-${id}`;
    const close = () => void notifications.hide(notice); // which calls onClose
    const visit = (to: string) => {
      close();
      router.history.push(to);
    };
    notifications.show({
      id: notice,
      autoClose: false,
      color: data.status === "succeeded" ? "green" : "red",
      title: titleOf(data),
      message: <Outcome job={data} path={pathOf(data, path)} visit={visit} close={close} />,
      closeButtonProps: { "aria-label": t`Close` },
      onClose: () => forget && forgetJob(id),
    });
    return () => {
      forget = false; // the user did not close it
      close();
    };
  }, [data, gone, id, path, router]);
  return null;
}

/** Returns the address of the page that shows what a job found. `started` is that of the page where it was started. */
function pathOf(job: Job, started: string): string {
  return job.kind === "catalogue_import" ? `/operator/import?job=${job.id}` : started;
}

const titles: Record<Job["kind"], Record<"done" | "failed", () => string>> = {
  usage_export: { done: () => t`The export of usage logs is ready`, failed: () => t`The export of usage logs failed` },
  price_simulation: { done: () => t`The price simulation is ready`, failed: () => t`The price simulation failed` },
  catalogue_import: { done: () => t`The manifest was imported`, failed: () => t`The import of the manifest failed` },
};

function titleOf(job: Job): string {
  if (job.kind === "catalogue_import" && job.status === "succeeded" && !job.parameters.catalogue_import?.apply)
    return t`The preview of the manifest is ready`;
  return titles[job.kind][job.status === "succeeded" ? "done" : "failed"]();
}

interface OutcomeProps {
  job: Job;
  path: string;
  visit: (path: string) => void;
  close: () => void;
}

/** Shows the result of a job in short or why it failed, and where to find more. */
function Outcome({ job, path, visit, close }: OutcomeProps) {
  const text = job.error?.message ?? summaryOf(job);
  const link: Record<Job["kind"], ReactNode> = {
    usage_export: <Trans>Open usage logs</Trans>,
    price_simulation: <Trans>Back to the proposal</Trans>,
    catalogue_import: <Trans>Open the result</Trans>,
  };
  return (
    <>
      {text && <Text inherit>{text}</Text>}
      <Group gap="md" mt={4}>
        {job.file && (
          <Anchor inherit href={`/api/jobs/${job.id}/file`} download={job.file.name} onClick={() => setTimeout(close)}>
            <Trans>Download</Trans>
          </Anchor>
        )}
        <Anchor
          inherit
          href={path}
          onClick={(event) => {
            event.preventDefault();
            visit(path);
          }}
        >
          {link[job.kind]}
        </Anchor>
      </Group>
    </>
  );
}

function summaryOf(job: Job): string {
  const simulated = job.result?.price_simulation;
  if (!simulated) return job.file?.name ?? "";
  const [before, after] = [showUsd(simulated.before, 2), showUsd(simulated.after, 2)];
  return t`The requests would have cost ${after} instead of ${before}.`;
}
