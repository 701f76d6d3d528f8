// @vitest-environment happy-dom
import { act, cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";

import { Dialogs } from "@/shell/Dialogs";

import { confirm } from "./confirm";
import { renderIn } from "./testing";

afterEach(cleanup);

it("stays open while the action runs, and then shows why it failed", async () => {
  let fail: (reason: Error) => void = () => undefined;
  const action = () => new Promise((_, reject) => (fail = reject));
  renderIn(<Dialogs />);
  act(() => confirm({ title: "Revoke?", children: "It stops working.", confirm: "Revoke", act: action }));
  await userEvent.click(await screen.findByRole("button", { name: "Revoke" }));
  await userEvent.keyboard("{Escape}");
  await act(async () => fail(new Error("The database is unavailable.")));
  await screen.findByText("The database is unavailable.");
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByText("It stops working.")).toBeNull());
});
