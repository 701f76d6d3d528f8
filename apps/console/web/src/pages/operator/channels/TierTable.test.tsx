// @vitest-environment happy-dom
import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";

import { renderPage, stallReads } from "@/components/testingPages";

import { channel } from "./testing";
import { TierTable } from "./TierTable";

stallReads();

it("sorts the channels by the share of errors that it shows, and those without calls last", async () => {
  const calls = new Map([
    ["busy", { requests: 1000, failed: 10 }],
    ["broken", { requests: 4, failed: 2 }],
    ["fine", { requests: 5, failed: 0 }],
  ]);
  const channels = ["unused", "busy", "broken", "fine"].map((name) => channel({ id: name, name }));
  renderPage(
    () => (
      <TierTable
        tier={{ priority: 0, channels }}
        place={0}
        model={undefined}
        measurements={{ health: undefined, calls, firstBytes: undefined }}
        selection={{ state: {}, change: vi.fn() }}
      />
    ),
    "/operator/channels",
  );
  await userEvent.click(await screen.findByRole("button", { name: /Errors, 24 h/ }));
  const table = within(screen.getByRole("table", { name: "Channels of priority 0" }));
  const names = table.getAllByRole("link").map(({ textContent }) => textContent);
  expect(names).toEqual(["broken", "busy", "fine", "unused"]);
});
