// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Component, type ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { LoadFailed } from "@/shell/LoadFailed";

import { lazyPart, setLoadFailed } from "./lazyPart";
import { renderIn } from "./testing";

const text = "A part of this page couldn't be loaded";
const gone = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module"));

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {})); // React logs what boundaries catch
afterEach(() => {
  cleanup();
  setLoadFailed(false);
  vi.restoreAllMocks();
});

it("keeps the page if its code can't be loaded, says so, and tries again with the next use", async () => {
  const load = vi.fn(gone);
  const Part = lazyPart<{ name: string }>(load);
  const failed = vi.fn();
  const page = (use: number) => (
    <>
      <input aria-label="Name" />
      <Part name="part" use={use} failed={failed} instead="closed" />
      <LoadFailed />
    </>
  );
  const { rerender } = renderIn(page(1));
  await userEvent.type(screen.getByRole("textbox"), "typed");
  expect(await screen.findByText(text)).toBeTruthy();
  expect(screen.getByText("closed")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Reload the page" })).toBeTruthy();
  expect(screen.getByRole("textbox")).toHaveProperty("value", "typed");
  expect(failed).toHaveBeenCalledOnce();
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(screen.queryByText(text)).toBeNull();
  rerender(page(1));
  expect(load).toHaveBeenCalledOnce();
  load.mockImplementation((async () => ({ default: ({ name }: { name: string }) => `loaded ${name}` })) as never);
  rerender(page(2));
  expect(await screen.findByText("loaded part")).toBeTruthy();
  expect(screen.getByRole("textbox")).toHaveProperty("value", "typed");
});

it("loads again when it is shown again after a failure, and once if it succeeds", async () => {
  const load = vi.fn(gone);
  const Part = lazyPart<object>(load);
  const failed = vi.fn();
  const first = renderIn(<Part failed={failed} />);
  await waitFor(() => expect(failed).toHaveBeenCalled());
  first.unmount();
  load.mockImplementation((async () => ({ default: () => "loaded" })) as never);
  for (let shown = 0; shown < 2; shown++) {
    const { unmount } = renderIn(<Part />);
    await screen.findByText("loaded");
    unmount();
  }
  expect(load).toHaveBeenCalledTimes(2);
});

it("passes the errors of the part itself on to the page", async () => {
  class Page extends Component<{ children: ReactNode }, { message?: string }> {
    static getDerivedStateFromError = ({ message }: Error) => ({ message });
    override state: { message?: string } = {};
    override render = () => this.state.message ?? this.props.children;
  }
  const Part = lazyPart<object>(async () => ({
    default: () => {
      throw new Error("a fault of the part");
    },
  }));
  renderIn(
    <Page>
      <Part />
    </Page>,
  );
  expect(await screen.findByText("a fault of the part")).toBeTruthy();
});
