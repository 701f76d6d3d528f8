// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient } from "@/api/query";
import { renderIn } from "@/components/testing";

import { ExportsPopover } from "./ExportsPopover";

afterEach(() => {
  cleanup();
  queryClient.clear();
  vi.restoreAllMocks();
});

it.each([
  ["", "No exports yet. Files are kept for seven days."],
  ["older", "The latest jobs are no exports. Files are kept for seven days."],
])("says there are no exports yet only if there are no older jobs: %j", async (next, text) => {
  const items = [{ id: "j", kind: "price_simulation", status: "succeeded" }];
  vi.spyOn(api, "GET").mockResolvedValue({ data: { items, next }, response: new Response() } as never);
  renderIn(<ExportsPopover />);
  await userEvent.click(screen.getByRole("button", { name: "Exports" }));
  await screen.findByText(text);
});
