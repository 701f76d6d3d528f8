// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";

import { renderIn } from "@/components/testing";

import { UnservedList } from "./UnservedModels";

vi.mock("@/components/links", () => ({
  AnchorLink: ({ to, params, search, children, "aria-label": label }: Record<string, unknown>) => (
    <a href={JSON.stringify([to, params ?? search])} aria-label={label as string}>
      {children as ReactNode}
    </a>
  ),
}));

afterEach(cleanup);

it("shows nothing while each model has a healthy channel", () => {
  renderIn(<UnservedList unserved={{ count: 0, items: [] }} />);
  expect(screen.queryByRole("alert")).toBeNull();
});

it("names each model with its reason, and links to it and its channels", () => {
  renderIn(
    <UnservedList
      unserved={{
        count: 102,
        items: [
          { model: "bare", reason: "no_channel", channels: 0 },
          { model: "broken", reason: "failing", channels: 2 },
          { model: "off", reason: "disabled", channels: 1 },
        ],
      }}
    />,
  );
  expect(screen.getByText("102 enabled models have no healthy channel")).toBeTruthy();
  const items = screen.getAllByRole("listitem");
  expect(items.map(({ textContent }) => textContent)).toEqual([
    "bareNo channel has it.",
    "brokenAll its enabled channels are failing.2 channels",
    "offAll its channels are disabled.1 channel",
  ]);
  const links = within(items[1] as HTMLElement).getAllByRole("link");
  expect(links.map((link) => link.getAttribute("href"))).toEqual([
    '["/operator/models/$id",{"id":"broken"}]',
    '["/operator/channels",{"model":"broken"}]',
  ]);
  expect(within(items[0] as HTMLElement).getAllByRole("link")).toHaveLength(1);
  expect(screen.getByText("Only the first 3 are listed.")).toBeTruthy();
});
