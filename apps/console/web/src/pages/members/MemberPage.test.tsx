// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";

import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";
import { stallReads, renderPage } from "@/components/testingPages";

import { MemberPage } from "./MemberPage";

const quota = { granted: "5", used: "0", left: "5", leased: "0" };
const caps = { day: null, week: null, month: null };

stallReads();

const all = ["Edit role and quota", "Audit log", "Reset password", "Reset second factor", "Disable"];

it.each([
  ["an admin", "an owner", ["Audit log"]],
  ["an admin", "an admin", all],
  ["an admin", "a member", all],
  ["an owner", "an owner", all],
])("offers %s only what the API accepts for %s", async (viewer, role, offered) => {
  const last = (words: string) => words.split(" ")[1] as string;
  queryClient.setQueryData<Identity>(sessionQuery.queryKey, { user: { id: "v", role: last(viewer) } } as Identity);
  queryClient.setQueryData(["members", "one", "m"], {
    items: [{ id: "m", email: "m@acme.example", role: last(role), status: "enabled", quota, caps, limits: {} }],
  });
  renderPage(MemberPage, "/members/$id", "/members/m");
  await userEvent.click(await screen.findByRole("button", { name: "Actions for m@acme.example" }));
  await screen.findByRole("menuitem", { name: "Audit log" });
  expect(screen.getAllByRole("menuitem").map((item) => item.textContent)).toEqual(offered);
  expect(screen.queryByRole("button", { name: "Edit" }) !== null).toBe(offered === all);
});
