import { useEffect, useMemo, useSyncExternalStore } from "react";

/** A job that a user started in this browser, and whose end was not reported to the user yet. */
export interface OpenJob {
  id: string;
  user: string;
  /** The address of the page where it was started. */
  path: string;
}

const stored = "tollgate-jobs";
/** The event by which the shell learns of a change. The event "storage" reaches other windows only. */
const changed = "tollgate-jobs";
const most = 20;

/** The jobs on the page, one for each component that shows how its job ends. */
const shown = new Set<{ id: string }>();

/** What a browser that keeps no data for this site could not store. It lasts until the page is left. */
let unsaved: string | undefined;

function read(): string {
  try {
    return unsaved ?? localStorage.getItem(stored) ?? "[]";
  } catch {
    return "[]";
  }
}

const isOpenJob = (value: unknown): value is OpenJob =>
  typeof value === "object" &&
  value !== null &&
  "id" in value &&
  typeof value.id === "string" &&
  "user" in value &&
  typeof value.user === "string" &&
  "path" in value &&
  typeof value.path === "string" &&
  /^\/(?!\/)/.test(value.path);

/** Parses what was stored. Anything that is not a job is dropped. */
export function parseJobs(text: string): OpenJob[] {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) ? found.filter(isOpenJob).slice(-most) : [];
  } catch {
    return [];
  }
}

function write(jobs: OpenJob[]) {
  const text = JSON.stringify(jobs.slice(-most));
  try {
    localStorage.setItem(stored, text);
    unsaved = undefined;
  } catch {
    unsaved = text;
  }
  window.dispatchEvent(new Event(changed));
}

const creates = /^\/api\/(operator\/)?jobs\/[a-z-]+$/;

/** Remembers the job that a request created, from the API's answer, which it returns. */
export async function rememberJob(request: Request, response: Response): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.method !== "POST" || !response.ok || !creates.test(pathname)) return response;
  const job = (await response
    .clone()
    .json()
    .catch(() => undefined)) as { id?: unknown; user_id?: unknown } | undefined;
  if (typeof job?.id !== "string" || typeof job.user_id !== "string") return response;
  write([
    ...parseJobs(read()),
    { id: job.id, user: job.user_id, path: `${window.location.pathname}${window.location.search}` },
  ]);
  return response;
}

/** Forgets a job: its user knows how it ended. */
export function forgetJob(id: string) {
  const jobs = parseJobs(read());
  if (jobs.some((job) => job.id === id)) write(jobs.filter((job) => job.id !== id));
}

/** Tells that a component shows how the job ends, as long as it is mounted. */
export function useShownJob(id: string | undefined) {
  useEffect(() => {
    if (id === undefined) return;
    const here = { id };
    shown.add(here);
    return () => {
      shown.delete(here);
    };
  }, [id]);
}

/** Reports whether the page in sight shows how the job ends. */
export const isShown = (id: string) => !document.hidden && [...shown].some((one) => one.id === id);

function subscribe(notify: () => void) {
  for (const event of [changed, "storage"]) window.addEventListener(event, notify);
  return () => {
    for (const event of [changed, "storage"]) window.removeEventListener(event, notify);
  };
}

/** Returns the jobs of a user that are open, or whose end was not reported to the user yet. */
export function useOpenJobs(user: string): OpenJob[] {
  const text = useSyncExternalStore(subscribe, read);
  return useMemo(() => parseJobs(text).filter((job) => job.user === user), [text, user]);
}
