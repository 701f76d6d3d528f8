// @vitest-environment happy-dom
import { Menu } from "@mantine/core";
import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";

import { RowMenu } from "./RowMenu";
import { renderIn } from "./testing";

afterEach(cleanup);

it("opens with the first click, runs an entry, and gives the focus back", async () => {
  const edit = vi.fn();
  renderIn(
    <RowMenu label="Actions for ci">
      <Menu.Item onClick={edit}>Edit</Menu.Item>
    </RowMenu>,
  );
  const button = () => screen.getByRole("button", { name: "Actions for ci" });
  expect(button().getAttribute("aria-haspopup")).toBe("menu");
  for (let times = 1; times <= 2; times++) {
    await userEvent.click(button());
    expect(button().getAttribute("aria-expanded")).toBe("true");
    await userEvent.click(await screen.findByRole("menuitem", { name: "Edit" }));
    expect(edit).toHaveBeenCalledTimes(times);
    await waitFor(() => expect(document.activeElement).toBe(button()));
  }
});
