// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient } from "@/api/query";
import { renderIn } from "@/components/testing";

import { ChannelEditor } from "./ChannelEditor";
import { channel } from "./testing";

vi.mock("@tanstack/react-router", async (original) => ({ ...(await original<object>()), useNavigate: () => vi.fn() }));

beforeEach(() => {
  queryClient.clear();
  vi.spyOn(api, "GET").mockResolvedValue({ data: { items: [], next: "" }, response: new Response() } as never);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const section = () => screen.findByRole("button", { name: /^Advanced settings/ });
const press = () => userEvent.click(screen.getByRole("button", { name: "Test before saving" }));

it("opens the advanced section for a field there that the API refuses", async () => {
  const errors = [{ param: "settings.proxy", message: "Not a proxy." }];
  vi.spyOn(api, "POST").mockResolvedValue({
    error: { detail: "Refused.", errors },
    response: new Response(null, { status: 400 }),
  } as never);
  renderIn(<ChannelEditor opened close={() => {}} channel={channel()} />);
  expect((await section()).getAttribute("aria-expanded")).toBe("false");
  await press();
  await screen.findByText("Not a proxy.");
  await waitFor(async () => expect((await section()).getAttribute("aria-expanded")).toBe("true"));
});

it("opens the advanced section for a field there that is wrong, and tests nothing", async () => {
  const sent = vi.spyOn(api, "POST");
  renderIn(<ChannelEditor opened close={() => {}} channel={channel()} />);
  await section();
  fireEvent.change(screen.getByLabelText("Parameters", { selector: "textarea" }), { target: { value: "[1]" } });
  await press();
  await waitFor(async () => expect((await section()).getAttribute("aria-expanded")).toBe("true"));
  expect(sent).not.toHaveBeenCalled();
});
