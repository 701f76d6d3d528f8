// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from "vitest";

import {
  entriesOf,
  forgetOthers,
  mostEntries,
  readHistory,
  withConversation,
  writeHistory,
  type Entry,
} from "./history";
import { fresh, type State } from "./storage";

const conversation = (id: string, text = `Question ${id}`): State => ({
  ...fresh,
  id,
  columns: [[{ id: "1", role: "user", text }]],
});
const ids = (entries: readonly Entry[]) => entries.map(({ state }) => state.id);

beforeEach(() => localStorage.clear());

describe("withConversation", () => {
  it("puts the conversation first, once", () => {
    const entries = withConversation(
      withConversation(withConversation([], conversation("a"), 1), conversation("b"), 2),
      conversation("a", "Again"),
      3,
    );
    expect(ids(entries)).toEqual(["a", "b"]);
    expect(entries[0]).toMatchObject({ at: 3, title: "Again" });
  });

  it("keeps a bounded number of conversations", () => {
    let entries: Entry[] = [];
    for (let i = 0; i < mostEntries + 5; i++) entries = withConversation(entries, conversation(String(i)), i);
    expect(entries).toHaveLength(mostEntries);
    expect(ids(entries)[0]).toBe(String(mostEntries + 4));
  });

  it("keeps a bounded number of characters", () => {
    let entries: Entry[] = [];
    for (let i = 0; i < 10; i++) entries = withConversation(entries, conversation(String(i), "x".repeat(290_000)), i);
    expect(JSON.stringify(entries).length).toBeLessThan(1_600_000);
    expect(ids(entries)).toEqual(["9", "8", "7", "6", "5"]);
  });

  it("keeps the names of files, but not their contents", () => {
    const attachments = [
      { id: "f", name: "dot.png", kind: "image" as const, type: "image/png", data: "data:image/png;base64,AA==" },
    ];
    const [entry] = withConversation(
      [],
      { ...fresh, id: "a", columns: [[{ id: "1", role: "user", text: "", attachments }]] },
      1,
    );
    expect(entry?.title).toBe("dot.png");
    expect(entry?.state.columns[0]?.[0]).toMatchObject({ attachments: [{ name: "dot.png", data: "" }] });
  });
});

describe("the stored history", () => {
  it("is read back", () => {
    const entries = withConversation([], conversation("a"), 1);
    writeHistory("anna", entries);
    expect(readHistory("anna")).toEqual(entries);
    expect(readHistory("ben")).toEqual([]);
  });

  it.each([null, "", "nonsense", "{}", "[null, 1, {}]", '[{"state":{"id":"a"}}]'])("in %j is empty", (json) =>
    expect(entriesOf(json)).toEqual([]),
  );

  it("shrinks if the browser has no room", () => {
    const stored = localStorage;
    const setItem = vi
      .fn((key: string, value: string) => stored.setItem(key, value))
      .mockImplementationOnce(() => {
        throw new DOMException("full", "QuotaExceededError");
      });
    vi.stubGlobal("localStorage", { setItem });
    writeHistory(
      "anna",
      [conversation("a"), conversation("b")].map((state) => ({ at: 1, title: "t", state })),
    );
    vi.unstubAllGlobals();
    expect(ids(readHistory("anna"))).toEqual(["a"]);
  });

  it("of other users is removed", () => {
    writeHistory("anna", withConversation([], conversation("a"), 1));
    writeHistory("ben", withConversation([], conversation("b"), 1));
    forgetOthers("ben");
    expect(readHistory("anna")).toEqual([]);
    expect(ids(readHistory("ben"))).toEqual(["b"]);
  });
});
