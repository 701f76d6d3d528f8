import { useOpenJobs } from "@/api/jobs";
import { lazyPart } from "@/components/lazyPart";

const JobNotices = lazyPart(() => import("./JobNotices"));

/** Tells the user when a job that they started has ended. Without such a job, it reads nothing and loads no code. */
export function Jobs({ user }: { user: string }) {
  const jobs = useOpenJobs(user);
  return jobs.length > 0 && <JobNotices jobs={jobs} use={jobs} />;
}
