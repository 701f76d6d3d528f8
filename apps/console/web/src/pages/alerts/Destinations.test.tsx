// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient } from "@/api/query";
import { renderIn } from "@/components/testing";

import { Destinations } from "./Destinations";

const destination = { id: "d", name: "pager", channel: "mail", target: "ops@acme.example", status: "enabled" };

beforeEach(() => {
  queryClient.clear();
  vi.spyOn(api, "GET").mockResolvedValue({ data: { items: [destination] }, response: new Response() } as never);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it.each([
  ["succeeded", { data: {}, response: new Response() }],
  ["failed", { error: { detail: "Too many tests." }, response: new Response(null, { status: 429 }) }],
])("a double click on Test sends one message, and Test works again after it %s", async (_end, answer) => {
  let end: (answer: object) => void = () => {};
  const sent = vi.spyOn(api, "POST").mockReturnValue(new Promise((resolve) => (end = resolve)) as never);
  renderIn(<Destinations operator={false} />);
  const button = await screen.findByRole("button", { name: "Send a test to pager" });
  await userEvent.dblClick(button);
  expect(sent).toHaveBeenCalledOnce();
  end(answer);
  await waitFor(() => expect(button).toHaveProperty("disabled", false));
  await userEvent.click(button);
  expect(sent).toHaveBeenCalledTimes(2);
});
