// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { renderIn } from "@/components/testing";
import { losesUnsaved } from "@/components/unsaved";

import { maxBody } from "./attachments";
import { Composer } from "./Composer";
import { type Bounds, sizeOf } from "./useAttachments";

const send = vi.fn();
const stop = vi.fn();
const bounds: Bounds = { models: [{ id: "echo-1", reads: undefined }], used: sizeOf };

const composer = (props: Partial<Parameters<typeof Composer>[0]> = {}) => (
  <Composer running={false} fault={undefined} bounds={bounds} send={send} stop={stop} {...props} />
);
const show = (props?: Parameters<typeof composer>[0]) => renderIn(composer(props));
const field = () => screen.getByRole("textbox", { name: "Your message" });
const dot = () => new File([new Uint8Array([1, 2, 3])], "dot.png", { type: "image/png" });
const pick = (...files: File[]) =>
  fireEvent.change(document.querySelector("input[type=file]") as HTMLInputElement, { target: { files } });

beforeEach(() => {
  send.mockClear();
  stop.mockClear();
});
afterEach(cleanup);

it("sends with Enter, and then is empty", async () => {
  show();
  await userEvent.type(field(), "Hello{Enter}");
  expect(send).toHaveBeenCalledWith("Hello", []);
  expect(field()).toHaveProperty("value", "");
});

it("inserts a new line with Shift and Enter", async () => {
  show();
  await userEvent.type(field(), "a{Shift>}{Enter}{/Shift}b");
  expect(field()).toHaveProperty("value", "a\nb");
  expect(send).not.toHaveBeenCalled();
});

it.each([
  ["during its composition", { isComposing: true }],
  ["after its composition, as in Safari", { isComposing: false, keyCode: 229 }],
])("sends nothing with the Enter that an input method gets %s", async (_when, init) => {
  show();
  await userEvent.type(field(), "你好");
  fireEvent.keyDown(field(), { key: "Enter", ...init });
  expect(send).not.toHaveBeenCalled();
  fireEvent.keyDown(field(), { key: "Enter", keyCode: 13 });
  expect(send).toHaveBeenCalledWith("你好", []);
});

it("sends nothing while there is a reason not to, and says which", async () => {
  show({ fault: "The functions are invalid." });
  await userEvent.type(field(), "Hello{Enter}");
  expect(send).not.toHaveBeenCalled();
  expect(screen.getByText("The functions are invalid.")).toBeTruthy();
});

it("shows a picked image, and sends it without a text", async () => {
  show();
  pick(dot());
  expect(await screen.findByRole("img", { name: "dot.png" })).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Send" }));
  expect(send).toHaveBeenCalledWith("", [
    expect.objectContaining({ name: "dot.png", data: "data:image/png;base64,AQID" }),
  ]);
  expect(screen.queryByRole("img")).toBeNull();
});

it("shows a picked recording, and sends it as base64", async () => {
  show();
  pick(new File([new Uint8Array([1, 2, 3])], "hi.wav", { type: "audio/wav" }));
  expect(await screen.findByText("hi.wav")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Send" }));
  expect(send).toHaveBeenCalledWith("", [expect.objectContaining({ name: "hi.wav", kind: "audio", data: "AQID" })]);
});

it("refuses audio for a model that does not read it, by the file's name", async () => {
  show({ bounds: { ...bounds, models: [{ id: "reader", reads: ["text", "image"] }] } });
  pick(new File(["x"], "hi.mp3", { type: "audio/mpeg" }));
  expect(await screen.findByText("hi.mp3 can't be sent: reader doesn't read audio.")).toBeTruthy();
});

it("takes pasted and dropped files, and removes one again", async () => {
  show();
  fireEvent.paste(field(), { clipboardData: { files: [dot()], getData: () => "" } });
  expect(await screen.findByRole("img", { name: "dot.png" })).toBeTruthy();
  fireEvent.drop(window, {
    dataTransfer: { types: ["Files"], files: [new File(["# Notes"], "notes.md", { type: "text/markdown" })] },
  });
  expect(await screen.findByText("notes.md")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Remove dot.png" }));
  expect(screen.queryByRole("img")).toBeNull();
});

it("pastes the text, and not its picture, from an office program", () => {
  show();
  const picture = dot();
  const read = vi.spyOn(picture, "arrayBuffer");
  // The browser inserts the text unless the event is cancelled, for which fireEvent returns false.
  expect(fireEvent.paste(field(), { clipboardData: { files: [picture], getData: () => "A1" } })).toBe(true);
  expect(read).not.toHaveBeenCalled();
});

it("names the file that is too large, and the file of a wrong type", async () => {
  show();
  pick(
    new File([new Uint8Array(maxBody)], "huge.png", { type: "image/png" }),
    new File(["x"], "a.zip", { type: "application/zip" }),
  );
  expect(await screen.findByText(/^huge\.png is too large/)).toBeTruthy();
  expect(screen.getByText(/^a\.zip can't be sent/)).toBeTruthy();
});

it("sends no image after a model was selected that does not read images", async () => {
  const { rerender } = show();
  pick(dot());
  await screen.findByRole("img", { name: "dot.png" });
  rerender(composer({ bounds: { ...bounds, models: [{ id: "reader", reads: ["text"] }] } }));
  expect(screen.getByText("dot.png can't be sent: reader doesn't read images.")).toBeTruthy();
  await userEvent.type(field(), "{Enter}");
  expect(send).not.toHaveBeenCalled();
});

it("stops during an answer", async () => {
  show({ running: true });
  await userEvent.click(screen.getByRole("button", { name: "Stop" }));
  await waitFor(() => expect(stop).toHaveBeenCalledOnce());
});

it("holds an unsaved text until it is sent", async () => {
  show();
  expect(losesUnsaved("PUSH")).toBe(false);
  await userEvent.type(field(), "Hello");
  expect(losesUnsaved("PUSH")).toBe(true);
  await userEvent.keyboard("{Enter}");
  expect(losesUnsaved("PUSH")).toBe(false);
});

it("holds unsaved attachments until they are removed", async () => {
  show();
  pick(dot());
  await screen.findByRole("img", { name: "dot.png" });
  await waitFor(() => expect(losesUnsaved("PUSH")).toBe(true));
  await userEvent.click(screen.getByRole("button", { name: "Remove dot.png" }));
  expect(losesUnsaved("PUSH")).toBe(false);
});

it("puts the focus into the field after Send and Stop", async () => {
  const { rerender } = show();
  await userEvent.type(field(), "Hello");
  screen.getByRole("button", { name: "Send" }).focus();
  await userEvent.keyboard("{Enter}");
  rerender(composer({ running: true }));
  expect(document.activeElement).toBe(field());
  screen.getByRole("button", { name: "Stop" }).focus();
  await userEvent.keyboard("{Enter}");
  rerender(composer());
  expect(document.activeElement).toBe(field());
});

it("keeps the focus on its button when an answer ends", () => {
  const { rerender } = show({ running: true });
  screen.getByRole("button", { name: "Stop" }).focus();
  rerender(composer());
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Send" }));
});
