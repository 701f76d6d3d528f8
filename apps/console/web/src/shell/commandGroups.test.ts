import { expect, it } from "vitest";

import { channelStatus, noHealth } from "@/components/channels/status";

import { commandGroups } from "./commandGroups";

const none = { tokens: [], models: [], tenants: [], channels: [] };
const labels = (query: string, role: "owner" | "member" | "operator" = "owner") =>
  commandGroups(role, query, none).flatMap(({ commands }) => commands.map(({ label }) => label));

it("without a query, the palette lists the pages of the role and the actions", () => {
  expect(labels("")).toEqual(
    expect.arrayContaining(["Overview", "Tokens", "Members", "Create token", "Keyboard shortcuts"]),
  );
  expect(labels("", "member")).not.toContain("Members");
  expect(labels("", "operator")).toContain("Channels");
  expect(labels("", "operator")).not.toContain("Create token");
});

it("a query narrows the pages", () => expect(labels("quo")).toEqual(["Quota & ledger"]));

it("a request ID leads to its receipt", () => {
  const id = "0199A0B1-0000-7000-8000-0000000000FF";
  expect(commandGroups("owner", id, none)).toMatchObject([
    { label: "Request", commands: [{ opens: { to: "/usage-logs", search: { log: id.toLowerCase() } } }] },
  ]);
  expect(labels(`${id}0`)).toEqual([]);
});

it("a model leads operators to its page in the catalog and others to that with their price", () => {
  const data = { ...none, models: ["team/gpt-4o"] };
  expect(commandGroups("operator", "gpt", data)[0]?.commands[0]?.opens).toEqual({
    to: "/operator/models/team%2Fgpt-4o",
  });
  expect(commandGroups("owner", "gpt", data)[0]?.commands[0]?.opens).toEqual({ to: "/models/team%2Fgpt-4o" });
});

it("a channel is named with its status and the reason", () => {
  const status = channelStatus("enabled", noHealth);
  expect(
    commandGroups("operator", "main", { ...none, channels: [{ id: "c", name: "main", status }] })[0]?.commands[0],
  ).toMatchObject({ label: "main", description: "Not checked yet: No check has finished yet. Relays use it." });
});
