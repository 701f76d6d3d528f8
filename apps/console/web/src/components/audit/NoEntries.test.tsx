// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";

import { renderIn } from "@/components/testing";

import { NoEntries } from "./NoEntries";

afterEach(cleanup);

it("offers to search further while there are older entries", async () => {
  const older = vi.fn();
  renderIn(<NoEntries filtered older={older} />);
  expect(screen.queryByText("No entries match these filters")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Keep searching" }));
  expect(older).toHaveBeenCalledOnce();
});

it("says that nothing matches when everything was searched", () => {
  renderIn(<NoEntries filtered older={undefined} />);
  expect(screen.getByText("No entries match these filters")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Keep searching" })).toBeNull();
});
