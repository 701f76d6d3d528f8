// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";

import { renderIn } from "@/components/testing";

import { figuresFile } from "./FiguresTable";
import { Legend } from "./Legend";

afterEach(cleanup);

const series = [
  { name: "gpt-4o", value: "gpt-4o", color: "red" },
  { name: "3 others", value: undefined, color: "gray" },
];

it("Legend lets users choose a series, but not the one of all others", async () => {
  const pick = vi.fn();
  renderIn(<Legend series={series} pick={pick} />);
  expect(screen.getAllByRole("button")).toHaveLength(1);
  await userEvent.click(screen.getByRole("button", { name: "gpt-4o" }));
  expect(pick).toHaveBeenCalledExactlyOnceWith("gpt-4o");
});

it("Legend has no buttons if nothing happens on a choice", () => {
  renderIn(<Legend series={series} />);
  expect(screen.queryByRole("button")).toBeNull();
});

it("figuresFile has the exact figures of all series", () => {
  const data = {
    series: [
      { key: "s0", value: "a", name: "a", total: 1n },
      { key: "s1", value: "b", name: "b", total: 2n },
    ],
    points: [{ start: "2026-01-01T00:00:00.000Z", amounts: [1n, 1_500_000_000n], total: 1_500_000_001n }],
    total: 1_500_000_001n,
  };
  expect(figuresFile({ data, measure: "spend" })).toContain("2026-01-01T00:00:00.000Z,1.500000001,0.000000001,1.5");
  expect(figuresFile({ data, measure: "requests" })).toContain("2026-01-01T00:00:00.000Z,1500000001,1,1500000000");
});
