import { useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";

export type Job = Schema<"Job">;

/** Whether a job has come to its end. */
export const isOver = (job: Job) => job.status !== "queued" && job.status !== "running";

/** A job, asked for again until it is over. */
export function useJob(id: string | undefined) {
  return useQuery({
    queryKey: ["jobs", id],
    queryFn: () => ask(api.GET("/api/jobs/{id}", { params: { path: { id: id ?? "" } } })),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : 700),
  });
}
