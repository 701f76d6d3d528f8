// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { renderIn } from "@/components/testing";
import { losesUnsaved } from "@/components/unsaved";

import { Import } from "./Import";

vi.mock("./Earlier", () => ({ Earlier: () => null })); // it needs the route

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("asks before a manifest that was typed is dropped", () => {
  vi.spyOn(api, "GET").mockReturnValue(new Promise(() => undefined) as never);
  renderIn(<Import />);
  expect(losesUnsaved("PUSH")).toBe(false);
  fireEvent.change(screen.getByLabelText("Manifest"), { target: { value: "models: []" } });
  expect(losesUnsaved("PUSH")).toBe(true);
});
