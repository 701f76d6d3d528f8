// @vitest-environment happy-dom
import { act, cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient } from "@/api/query";
import { renderIn } from "@/components/testing";

import { factorsQuery } from "./factors";
import { SecondFactor } from "./SecondFactor";

vi.setConfig({ testTimeout: 60_000 }); // a loaded machine is slow

let totp: boolean;
const answer = (data: unknown) => ({ data, response: new Response() }) as never;

beforeEach(() => {
  totp = false;
  queryClient.clear();
  vi.spyOn(api, "GET").mockImplementation((async () => answer({ totp, recovery_codes: 10 })) as never);
  vi.spyOn(api, "POST").mockImplementation((async (path: string) => {
    if (path === "/api/session/totp") return answer({ uri: "otpauth://totp/a", secret: "ABC" });
    totp = true;
    return answer({ recovery_codes: ["code-one", "code-two"] });
  }) as never);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("shows the recovery codes until they are saved, also when the factors are read again", async () => {
  renderIn(<SecondFactor />);
  await userEvent.click(await screen.findByRole("button", { name: "Set up an authenticator app" }));
  await userEvent.type(await screen.findByLabelText("Your password"), "secret");
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  await userEvent.type(await screen.findByRole("textbox", { name: "Code" }), "123456");
  await userEvent.click(screen.getByRole("button", { name: "Turn on" }));
  await screen.findByText("code-one");
  await act(() => queryClient.invalidateQueries({ queryKey: factorsQuery.queryKey })); // as the focus of a window does
  await screen.findByText("On");
  expect(screen.getByText("code-one")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "I have saved them" }));
  expect(screen.queryByText("code-one")).toBeNull();
});
