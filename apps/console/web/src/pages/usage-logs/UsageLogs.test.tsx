// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";
import { renderPage, stallReads } from "@/components/testingPages";

import { UsageLogs } from "./UsageLogs";

stallReads();
beforeEach(() =>
  queryClient.setQueryData<Identity>(sessionQuery.queryKey, { user: { id: "u", role: "member" } } as Identity),
);

it("closes a receipt without an entry in the history, so that Back doesn't open it again", async () => {
  const history = renderPage(UsageLogs, "/usage-logs");
  await screen.findByText("Live: new requests appear at the top");
  act(() => history.push("/usage-logs?log=l"));
  await screen.findByRole("dialog", { name: "Receipt" });
  const entries = history.length;
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  await waitFor(() => expect(history.location.search).toBe(""));
  expect(history.length).toBe(entries);
});

it("is live again when other filters show a list from its top, also with the filters of before", async () => {
  vi.spyOn(api, "GET").mockReturnValue(new Promise(() => {}) as never);
  const history = renderPage(UsageLogs, "/usage-logs");
  for (const address of ["/usage-logs?model=m", "/usage-logs"]) {
    const list = await screen.findByRole("region", { name: "Usage logs" });
    list.scrollTop = 100;
    fireEvent.scroll(list);
    await screen.findByText("Live updates are paused while you read");
    act(() => history.push(address));
    await screen.findByText("Live: new requests appear at the top");
  }
});
