// @vitest-environment happy-dom
import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { Declined } from "@/api/confirmation";
import { queryClient } from "@/api/query";
import { renderIn } from "@/components/testing";
import { anyRunning, losesUnsaved } from "@/components/unsaved";
import { type Channel, channelsQuery } from "@/pages/operator/catalog/queries";

import { type ActionName, affectedBy, modelsWithout } from "./actions";
import { BulkDialog } from "./BulkDialog";

const channelOf = (id: string, change: Partial<Channel> = {}): Channel =>
  ({ id, name: `channel ${id}`, status: "enabled", models: { m: "up" }, tags: [], ...change }) as unknown as Channel;

const three = ["a", "b", "c"].map((id) => channelOf(id));
const close = vi.fn();
const open = (action: ActionName, channels = three, all = channels, hidden: string[] = []) =>
  renderIn(<BulkDialog bulk={{ key: 1, action, channels, hidden: new Set(hidden) }} all={all} close={close} />);

/** Answers each request by the channel's id. */
function answer(method: "GET" | "POST" | "PATCH", by: (id: string, body: unknown) => unknown) {
  return vi.spyOn(api, method).mockImplementation((async (_path: string, options: unknown) => {
    const { params, body } = options as { params: { path: { id: string } }; body: unknown };
    const data = await by(params.path.id, body);
    return data instanceof Response
      ? { error: { detail: "no", code: "x", status: data.status }, response: data }
      : { data, response: new Response() };
  }) as never);
}

const item = (id: string) => within(screen.getByText(`channel ${id}`).closest("li") as HTMLElement);

beforeEach(() => close.mockClear());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

describe("a test of several channels", () => {
  it("shows the result of each, and repeats what failed", async () => {
    let works = false;
    const calls: string[] = [];
    answer("POST", (id) => {
      calls.push(id);
      return id === "b" && !works
        ? { ok: false, error: "credential", status: 401, detail: "bad key" }
        : { ok: true, latency_ms: 12, error: "", status: 200, detail: "" };
    });
    open("test");
    await userEvent.click(await screen.findByRole("button", { name: "Run the test" }));
    expect(await item("b").findByText("Credential refused (401): bad key")).toBeTruthy();
    expect(item("a").getByText("Works: 12 ms")).toBeTruthy();
    await waitFor(() => expect(screen.getByRole("status").textContent).toContain("1 channel failed."));

    works = true;
    await userEvent.click(screen.getByRole("button", { name: "Repeat 1 channel" }));
    await waitFor(() => expect(screen.getByRole("status").textContent).toBe("All 3 channels succeeded"));
    expect(calls).toEqual(["a", "b", "c", "b"]);
    await userEvent.click(screen.getAllByRole("button", { name: "Close" }).at(-1) as HTMLElement);
    expect(close).toHaveBeenCalledWith(["a", "c", "b"]);
  });

  it("leaves failed channels selected", async () => {
    answer("POST", (id) => (id === "b" ? new Response(null, { status: 503 }) : { ok: true, latency_ms: 1 }));
    open("test");
    await userEvent.click(await screen.findByRole("button", { name: "Run the test" }));
    await waitFor(() => expect(screen.getByRole("status").textContent).toContain("It stays selected."));
    expect(item("b").getByText("no")).toBeTruthy();
    await userEvent.click(screen.getAllByRole("button", { name: "Close" }).at(-1) as HTMLElement);
    expect(close).toHaveBeenCalledWith(["a", "c"]);
  });
});

describe("a run that is left midway", () => {
  it("asks, completes what has begun, and starts nothing more", async () => {
    const begun: string[] = [];
    const finish: (() => void)[] = [];
    answer("PATCH", (id) => {
      begun.push(id);
      return new Promise((resolve) => finish.push(() => resolve({})));
    });
    const many = ["a", "b", "c", "d", "e", "f"].map((id) => channelOf(id));
    open("disable", many, [...many, channelOf("z")]);
    await userEvent.click(await screen.findByRole("button", { name: "Disable" }));
    expect(begun).toEqual(["a", "b", "c", "d"]);
    expect(item("e").getByText("Waiting")).toBeTruthy();
    expect([anyRunning(), losesUnsaved("BACK")]).toEqual([true, true]);

    await userEvent.keyboard("{Escape}");
    const question = await screen.findByRole("dialog", { name: "Stop now?" });
    expect(close).not.toHaveBeenCalled();
    await userEvent.click(within(question).getByRole("button", { name: "Stop" }));
    expect(close).toHaveBeenCalledWith([]);
    cleanup();
    await act(async () => {
      for (const one of finish) one();
    });
    expect(begun).toHaveLength(4);
  });
});

describe("a change of several channels", () => {
  it("asks first, and is not made when the dialog is closed", async () => {
    const patch = answer("PATCH", () => ({}));
    open("disable", three, [...three, channelOf("z")], ["b"]);
    expect(await screen.findByText(/Relays stop sending calls/)).toBeTruthy();
    expect(item("b").getByText("Hidden by the filters")).toBeTruthy();
    expect(screen.queryByRole("alert")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(close).toHaveBeenCalledWith([]);
    expect(patch).not.toHaveBeenCalled();
  });

  it("warns of models without another enabled channel", async () => {
    answer("PATCH", () => ({}));
    open("disable");
    expect((await screen.findByRole("alert")).textContent).toBe(
      "1 model becomes unavailableNo other enabled channel serves them: m",
    );
  });

  it("sends only what was entered, and skips the rest when the user does not confirm", async () => {
    const sent: unknown[] = [];
    answer("PATCH", (id, body) => {
      sent.push(body);
      if (id === "a") throw new Declined();
      return {};
    });
    const many = ["a", "b", "c", "d", "e", "f"].map((id) => channelOf(id));
    open("weigh", many);
    const save = await screen.findByRole("button", { name: "Save changes" });
    await userEvent.click(save);
    expect(screen.getByText("Enter a priority, a weight or both.")).toBeTruthy();
    await userEvent.type(screen.getByRole("textbox", { name: "Weight" }), "7");
    await userEvent.click(save);
    await waitFor(() => expect(screen.getByRole("status").textContent).toContain("were not started."));
    expect(new Set(sent.map((body) => JSON.stringify(body)))).toEqual(new Set(['{"weight":7}']));
    expect(sent.length).toBeLessThan(6);
    expect(screen.getByRole("button", { name: /^Repeat/ })).toBeTruthy();
  });

  it("adds and removes tags of what the channels have now", async () => {
    const sent = new Map<string, unknown>();
    answer("GET", (id) => (id === "a" ? { tags: ["new", "old", "by somebody else"] } : { tags: ["new"] }));
    answer("PATCH", (id, body) => sent.set(id, body));
    queryClient.setQueryData(channelsQuery.queryKey, { items: [], more: false });
    open("tag", [channelOf("a", { tags: ["old"] }), channelOf("b")]);
    const save = await screen.findByRole("button", { name: "Save changes" });
    await userEvent.click(save);
    expect(screen.getByText("Enter tags to add or to remove.")).toBeTruthy();
    await userEvent.type(screen.getByRole("combobox", { name: "Add tags" }), "new{Enter}");
    await userEvent.click(screen.getByRole("combobox", { name: "Remove tags" }));
    await userEvent.click(await screen.findByRole("option", { name: "old" }));
    await userEvent.click(save);
    await waitFor(() => expect(screen.getByRole("status").textContent).toBe("All 2 channels succeeded"));
    expect([...sent]).toEqual([["a", { tags: ["new", "by somebody else"] }]]);
    expect(item("b").getByText("Unchanged")).toBeTruthy();
  });

  it("leaves channels alone that are enabled already", async () => {
    const patched: string[] = [];
    answer("PATCH", (id) => patched.push(id));
    open("enable", [channelOf("a"), channelOf("b", { status: "disabled" })]);
    expect(await screen.findByText("1 selected channel is enabled already.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Enable" }));
    await waitFor(() => expect(screen.getByRole("status").textContent).toBe("1 channel succeeded"));
    expect(patched).toEqual(["b"]);
    await userEvent.click(screen.getAllByRole("button", { name: "Close" }).at(-1) as HTMLElement);
    expect(new Set(close.mock.lastCall?.[0] as string[])).toEqual(new Set(["a", "b"]));
  });
});

describe("modelsWithout", () => {
  const [a, b, off] = [
    channelOf("a", { models: { x: "1", y: "1" } }),
    channelOf("b", { models: { y: "1" } }),
    channelOf("off", { models: { x: "1", z: "1" }, status: "disabled" }),
  ];
  const all = [a, b, off];
  it.each([
    ["another enabled channel serves the model", [b], []],
    ["only a disabled channel serves the model", [a], ["x"]],
    ["all enabled channels are disabled", [a, b], ["x", "y"]],
    ["the channel is disabled already", [off], []],
  ] as const)("when %s", (_, disabled, want) => expect(modelsWithout(all, disabled)).toEqual(want));
});

it("affectedBy leaves out what needs no change", () => {
  const [on, off] = [channelOf("a"), channelOf("b", { status: "disabled" })];
  expect(affectedBy("enable", [on, off])).toEqual([off]);
  expect(affectedBy("disable", [on, off])).toEqual([on]);
  expect(affectedBy("test", [on, off])).toEqual([on, off]);
});
