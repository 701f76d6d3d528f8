import { useQuery, useQueryClient } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";

export type Job = Schema<"Job">;

const key = ["jobs", "usage-exports"];

/** Whether a job is still to be done. */
export const isLive = (job: Pick<Job, "status">) => job.status === "queued" || job.status === "running";

/** How far a job is in percent; undefined where nobody knows. */
export function percentOf({ status, progress }: Pick<Job, "status" | "progress">): number | undefined {
  if (status === "succeeded") return 100;
  if (progress.total === null || progress.total === 0) return undefined;
  return Math.min(99, Math.floor((progress.done / progress.total) * 100));
}

/** Where the file of a job is downloaded. */
export const fileOf = (job: Pick<Job, "id">) => `/api/jobs/${job.id}/file`;

/** One's exports, newest first; read anew each second while one is on its way. */
export function useExports() {
  return useQuery({
    queryKey: key,
    queryFn: async () => (await ask(api.GET("/api/jobs", { params: { query: { limit: 50 } } }))).items.filter((job) => job.kind === "usage_export"),
    refetchInterval: ({ state }) => (state.data?.some(isLive) ? 1_000 : false),
  });
}

/** Begins and cancels exports. */
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
