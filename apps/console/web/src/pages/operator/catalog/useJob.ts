import { useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { useShownJob } from "@/api/jobs";

export type Job = Schema<"Job">;

/** Reports whether a job has ended, in success or not. */
export const isOver = (job: Job) => job.status !== "queued" && job.status !== "running";

/** Reads a job, which the component shows, and polls it every 700 ms until it has ended. */
export function useJob(id: string | undefined) {
  useShownJob(id);
  return useQuery({
    queryKey: ["jobs", id],
    queryFn: () => ask(api.GET("/api/jobs/{id}", { params: { path: { id: id ?? "" } } })),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : 700),
  });
}
