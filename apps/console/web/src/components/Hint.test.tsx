// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";

import { Hint } from "./Hint";
import { renderIn } from "./testing";

afterEach(cleanup);

it("shows the label while the pointer is on the child", async () => {
  renderIn(
    <Hint label="HTTP 502">
      <span>Failed</span>
    </Hint>,
  );
  expect(screen.queryByText("HTTP 502")).toBeNull();
  await userEvent.hover(screen.getByText("Failed"));
  expect(await screen.findByText("HTTP 502")).toBeTruthy();
  await userEvent.unhover(screen.getByText("Failed"));
  await waitFor(() => expect(screen.queryByText("HTTP 502")).toBeNull());
});
