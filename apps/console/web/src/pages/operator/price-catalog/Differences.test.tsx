// @vitest-environment happy-dom
import { act, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";

import { queryClient } from "@/api/query";
import { stallReads, renderPage } from "@/components/testingPages";

import { Differences } from "./Differences";
import { differencesQuery } from "./queries";
import { difference } from "./testing";

const large = difference("large", "acme/large", ["large_rise"]);

stallReads();

const checked = (name: string) => (screen.getByRole("checkbox", { name }) as HTMLInputElement).checked;

it.each([
  ["the catalog file is another one", { items: [large], sha256: "second", more: false }],
  ["the current price has changed", { items: [{ ...large, price_id: "q" }], sha256: "first", more: false }],
])("the selection and its confirmed warnings are dropped when %s", async (_when, next) => {
  queryClient.setQueryData(differencesQuery.queryKey, { items: [large], sha256: "first", more: false });
  renderPage(Differences, "/operator/price-catalog");
  await userEvent.click(await screen.findByRole("checkbox", { name: "Select large from acme" }));
  await userEvent.click(screen.getByRole("checkbox", { name: "A rate rises by more than 50%" }));
  const schedule = screen.getByRole("button", { name: "Schedule 1 price" });
  expect(schedule).toHaveProperty("disabled", false);
  act(() => {
    queryClient.setQueryData(differencesQuery.queryKey, next);
  });
  expect(await screen.findByText("Select the models whose price should change.")).toBeTruthy();
  expect(checked("Select large from acme")).toBe(false);
  expect(checked("A rate rises by more than 50%")).toBe(false);
  await userEvent.click(screen.getByRole("checkbox", { name: "Select large from acme" }));
  expect(screen.getByText("Confirm 1 warning of the selected models first.")).toBeTruthy();
});
