// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";

import { renderIn } from "@/components/testing";

import { BulkPreview } from "./BulkPreview";

afterEach(cleanup);

const item = (model: string, margin: string, loss: boolean) => ({
  model,
  loss,
  current: { input: "1" },
  channels: [
    {
      channel_id: "c",
      channel: "main",
      known: true,
      classes: [{ class: "input", price: "2", cost: loss ? "3" : "1", margin }],
    },
  ],
});
const changes = ["gain", "loss"].map((model) => ({ model, price: { input: "2" } }));

it("prices below cost come first, are marked, and are accepted one by one", async () => {
  const accept = vi.fn();
  renderIn(
    <BulkPreview
      items={[item("gain", "1", false), item("loss", "-1", true)]}
      changes={changes}
      accepted={[]}
      accept={accept}
    />,
  );
  expect(screen.getAllByRole("region").map((region) => region.getAttribute("aria-label"))).toEqual(["loss", "gain"]);
  expect(screen.getByText("Input on main: price $2.00, cost $3.00")).toBeTruthy();
  expect(screen.getByText("Margin from 50%")).toBeTruthy();
  await userEvent.click(screen.getByRole("checkbox", { name: "Sell loss below cost" }));
  expect(accept).toHaveBeenCalledWith(["loss"]);
});

it("a channel without costs is named as such", () => {
  renderIn(
    <BulkPreview
      items={[
        { model: "gain", loss: false, channels: [{ channel_id: "c", channel: "main", known: false, classes: [] }] },
      ]}
      changes={changes}
      accepted={[]}
      accept={() => {}}
    />,
  );
  expect(screen.getByText("Costs not stated")).toBeTruthy();
});
