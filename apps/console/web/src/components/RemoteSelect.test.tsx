// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it } from "vitest";

import { Problem } from "@/api/problem";
import { queryClient } from "@/api/query";

import { RemoteSelect } from "./RemoteSelect";
import { renderIn } from "./testing";

beforeEach(() => queryClient.clear());
afterEach(cleanup);

it.each([
  ["the search finds nothing", async () => [], "Nothing found"],
  ["the search fails", () => Promise.reject(new Problem(400, { detail: "Too long." })), "Too long."],
])("says why it has no options if %s", async (_, search, text) => {
  renderIn(<RemoteSelect kind="things" aria-label="Thing" search={search} value={undefined} onChange={() => {}} />);
  await userEvent.click(screen.getByRole("combobox", { name: "Thing" }));
  expect(await screen.findByText(text)).toBeTruthy();
});

it("shows why a search failed although an object is selected", async () => {
  const search = async (text: string) => {
    if (text === "one") return [{ id: "one", name: "First" }];
    throw new Problem(400, { detail: "Too long." });
  };
  renderIn(<RemoteSelect kind="things" aria-label="Thing" search={search} value="one" onChange={() => {}} />);
  await userEvent.click(screen.getByRole("combobox", { name: "Thing" }));
  expect(await screen.findByText("Too long.")).toBeTruthy();
});
