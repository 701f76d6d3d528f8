// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";

import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";
import { renderPage, stallReads } from "@/components/testingPages";

import { Models } from "./Models";

stallReads();

it("keeps the search in the address", async () => {
  queryClient.setQueryData<Identity>(sessionQuery.queryKey, { user: { id: "u", role: "member" } } as Identity);
  const history = renderPage(Models, "/models", "/models?search=gpt");
  const field = await screen.findByRole("textbox", { name: "Search models" });
  expect(field).toHaveProperty("value", "gpt");
  const entries = history.length;
  await userEvent.type(field, "-5");
  await waitFor(() => expect(history.location.search).toBe("?search=gpt-5"));
  expect(history.length).toBe(entries);
});
