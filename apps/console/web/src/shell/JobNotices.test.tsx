// @vitest-environment happy-dom
import { Notifications, notifications } from "@mantine/notifications";
import { act, cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { api, type Schema } from "@/api/client";
import { rememberJob, useOpenJobs } from "@/api/jobs";
import { queryClient } from "@/api/query";
import { renderIn } from "@/components/testing";
import { useJob } from "@/pages/operator/catalog/useJob";

import JobNotices from "./JobNotices";

const push = vi.hoisted(() => vi.fn());
vi.mock("@tanstack/react-router", () => ({ useRouter: () => ({ history: { push } }) }));

type Job = Schema<"Job">;

const open = { id: "j1", user: "anna", path: "/usage-logs?span=7d" };
const jobOf = (change: Partial<Job>): Job => ({
  id: "j1",
  user_id: "anna",
  kind: "usage_export",
  status: "succeeded",
  progress: { done: 1, total: 1 },
  parameters: {},
  tokens: false,
  created_at: "2026-01-10T12:00:00Z",
  started_at: null,
  finished_at: null,
  expires_at: null,
  ...change,
});

let answers: (Job | number)[];
let asked: number;

beforeEach(() => {
  answers = [];
  asked = 0;
  push.mockClear();
  queryClient.clear();
  localStorage.setItem("tollgate-jobs", JSON.stringify([open]));
  window.history.pushState({}, "", "/tokens");
  vi.spyOn(api, "GET").mockImplementation((async () => {
    asked++;
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return typeof answer === "number"
      ? { error: { status: answer }, response: new Response(null, { status: answer }) }
      : { data: answer, response: new Response() };
  }) as never);
});

afterEach(() => {
  notifications.clean();
  cleanup();
  vi.restoreAllMocks();
});

function Watched() {
  const jobs = useOpenJobs("anna");
  return <JobNotices jobs={jobs} />;
}

function Simulated() {
  useJob("j1");
  return null;
}

const show = () =>
  renderIn(
    <>
      <Notifications transitionDuration={0} />
      <Watched />
    </>,
  );
const remembered = () => JSON.parse(localStorage.getItem("tollgate-jobs") ?? "[]") as unknown[];

it("tells that an export is ready, with its file, until the user closes the notice", async () => {
  answers = [jobOf({ file: { name: "usage.csv", size: 10 } as Job["file"] })];
  show();
  await screen.findByText("The export of usage logs is ready");
  expect(screen.getByRole("link", { name: "Download" }).getAttribute("href")).toBe("/api/jobs/j1/file");
  expect(remembered()).toHaveLength(1); // a reload shows the notice again
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  await waitFor(() => expect(remembered()).toEqual([]));
});

describe("of two jobs that have ended", () => {
  const other = { ...open, id: "j2" };
  beforeEach(async () => {
    localStorage.setItem("tollgate-jobs", JSON.stringify([open, other]));
    answers = [jobOf({})];
    show();
    await waitFor(() => expect(notices()).toHaveLength(2));
  });
  const notices = () => screen.queryAllByText("The export of usage logs is ready");

  it("the other stays when one notice is closed", async () => {
    const [first] = screen.getAllByRole("button", { name: "Close" });
    await userEvent.click(first as HTMLElement);
    await waitFor(() => expect(notices()).toHaveLength(1));
    expect(remembered()).toHaveLength(1);
  });

  it("both stay when a third one starts", async () => {
    answers = [jobOf({ status: "running" })];
    await act(() =>
      rememberJob(
        new Request("http://localhost/api/jobs/usage-export", { method: "POST" }),
        Response.json({ id: "j3", user_id: "anna" }),
      ),
    );
    await waitFor(() => expect(asked).toBe(3));
    expect(remembered()).toHaveLength(3);
    expect(notices()).toHaveLength(2);
  });

  it("none is forgotten when the page is left", () => {
    cleanup();
    expect(remembered()).toEqual([open, other]);
  });
});

it("says nothing of a job that is in sight", async () => {
  answers = [jobOf({})];
  renderIn(
    <>
      <Notifications transitionDuration={0} />
      <Simulated />
      <Watched />
    </>,
  );
  await waitFor(() => expect(remembered()).toEqual([]));
  expect(screen.queryByRole("alert")).toBeNull();
});

it("tells how a job ends whose drawer was closed, also on the page where it was started", async () => {
  window.history.pushState({}, "", open.path);
  await act(() =>
    rememberJob(
      new Request("http://localhost/api/operator/jobs/price-simulation", { method: "POST" }),
      Response.json({ id: "j1", user_id: "anna" }),
    ),
  );
  localStorage.setItem("tollgate-jobs", JSON.stringify([open]));
  answers = [jobOf({ status: "running" })];
  const drawer = renderIn(<Simulated />);
  await waitFor(() => expect(asked).toBeGreaterThan(0));
  drawer.unmount();
  answers = [jobOf({ kind: "price_simulation" })];
  show();
  await screen.findByText("The price simulation is ready");
});

it("leads to the page of the job", async () => {
  answers = [
    jobOf({
      kind: "catalogue_import",
      parameters: { catalogue_import: { apply: true, bytes: 1 } } as Job["parameters"],
    }),
  ];
  show();
  await userEvent.click(await screen.findByRole("link", { name: "Open the result" }));
  expect(push).toHaveBeenCalledWith("/operator/import?job=j1");
  await waitFor(() => expect(remembered()).toEqual([]));
});

it("says why a job failed", async () => {
  answers = [jobOf({ status: "failed", error: { code: "x", message: "The disk is full." } as Job["error"] })];
  show();
  await screen.findByText("The export of usage logs failed");
  await screen.findByText("The disk is full.");
});

it("says what a simulation found", async () => {
  answers = [
    jobOf({ kind: "price_simulation", result: { price_simulation: { before: "2", after: "3.456" } } as Job["result"] }),
  ];
  show();
  await screen.findByText("The requests would have cost $3.46 instead of $2.00.");
});

it.each([
  ["was canceled", jobOf({ status: "cancelled" })],
  ["no longer exists", 404],
])("forgets a job that %s without a word", async (_, answer) => {
  answers = [answer];
  show();
  await waitFor(() => expect(remembered()).toEqual([]));
  expect(screen.queryByRole("alert")).toBeNull();
});

it("asks until the job has ended, and not after that", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    answers = [jobOf({ status: "running" }), jobOf({ status: "running" }), jobOf({})];
    show();
    await vi.waitFor(() => expect(asked).toBe(1));
    await vi.advanceTimersByTimeAsync(3_000);
    await vi.advanceTimersByTimeAsync(3_000);
    await vi.waitFor(() => expect(asked).toBe(3));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(3);
  } finally {
    vi.useRealTimers();
  }
});
