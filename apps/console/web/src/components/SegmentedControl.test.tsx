// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it } from "vitest";

import { SegmentedControl } from "./SegmentedControl";
import { renderIn } from "./testing";

afterEach(cleanup);

function Control({ first }: { first: string }) {
  const [value, setValue] = useState(first);
  return (
    <SegmentedControl<string>
      aria-label="Measure"
      data={["spend", { value: "requests", label: "Requests" }]}
      value={value}
      onChange={setValue}
    />
  );
}

const marked = () => screen.queryAllByRole("radio", { checked: true }).map((choice) => choice.getAttribute("value"));

it("marks the choice that was clicked", async () => {
  renderIn(<Control first="spend" />);
  expect(screen.getByRole("radiogroup", { name: "Measure" })).toBeTruthy();
  expect(marked()).toEqual(["spend"]);
  await userEvent.click(screen.getByText("Requests"));
  expect(marked()).toEqual(["requests"]);
});

it("marks none for a value that is no choice", () => {
  renderIn(<Control first="" />);
  expect(marked()).toEqual([]);
});
