// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";

import { confirmIdentity } from "@/api/confirmation";
import { confirm } from "@/components/confirm";
import { setLoadFailed } from "@/components/lazyPart";
import { renderIn } from "@/components/testing";

import { Confirmations } from "./Confirmations";
import { Dialogs } from "./Dialogs";
import { LoadFailed } from "./LoadFailed";

const code = vi.hoisted(() => ({ gone: true }));
vi.mock("./ConfirmIdentity", () => {
  throw new TypeError("Failed to fetch dynamically imported module");
});
vi.mock("./DialogsOpen", async (original) => {
  if (code.gone) throw new TypeError("Failed to fetch dynamically imported module");
  return original();
});

afterEach(() => {
  cleanup();
  setLoadFailed(false);
  vi.restoreAllMocks();
});

const page = (
  <>
    <Confirmations />
    <Dialogs />
    <LoadFailed />
    <input aria-label="Name" />
  </>
);

it("a question that can't be asked is answered with no, and the form below it stays", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  renderIn(page);
  await userEvent.type(screen.getByRole("textbox"), "typed");
  expect(await confirmIdentity(null)).toBe(false);
  expect(await screen.findByRole("button", { name: "Reload the page" })).toBeTruthy();
  expect(screen.getByRole("textbox")).toHaveProperty("value", "typed");
});

it("a dialog that can't be opened doesn't open with the next one", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  renderIn(page);
  const question = { children: "", confirm: "Yes", act: vi.fn() };
  confirm({ ...question, title: "First" });
  await screen.findByRole("button", { name: "Reload the page" });
  code.gone = false;
  confirm({ ...question, title: "Second" });
  expect(await screen.findByText("Second")).toBeTruthy();
  expect(screen.queryByText("First")).toBeNull();
});
