import { useQuery, useQueryClient } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";

export type Job = Schema<"Job">;

const key = ["jobs", "usage-exports"];

/** Reports whether a job has not ended yet. */
export const isLive = (job: Pick<Job, "status">) => job.status === "queued" || job.status === "running";

/** Returns the progress of a job in percent, at most 99 until it has succeeded; undefined if the total is unknown. */
export function percentOf({ status, progress }: Pick<Job, "status" | "progress">): number | undefined {
  if (status === "succeeded") return 100;
  if (progress.total === null || progress.total === 0) return undefined;
  return Math.min(99, Math.floor((progress.done / progress.total) * 100));
}

/** Returns the download address of a job's file. */
export const fileOf = (job: Pick<Job, "id">) => `/api/jobs/${job.id}/file`;

/**
 * Reads the exports among the latest jobs, newest first. `more` is true if there are older jobs. It refetches every
 * second while one of them is running.
 */
export function useExports() {
  return useQuery({
    queryKey: key,
    queryFn: async () => {
      const { items, next } = await ask(api.GET("/api/jobs", { params: { query: { limit: 50 } } }));
      return { items: items.filter((job) => job.kind === "usage_export"), more: next !== "" };
    },
    refetchInterval: ({ state }) => (state.data?.items.some(isLive) ? 1_000 : false),
  });
}

/** Returns functions that start and cancel exports. */
export function useExportActions() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: key });
  return {
    begin: async (body: Schema<"UsageExport">) => {
      const job = await ask(api.POST("/api/jobs/usage-export", { body }));
      await refresh();
      return job;
    },
    cancel: async (job: Job) => {
      await ask(api.POST("/api/jobs/{id}/cancel", { params: { path: { id: job.id } } }));
      await refresh();
    },
  };
}
