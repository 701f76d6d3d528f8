// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";

import { SearchInput } from "./SearchInput";
import { renderIn } from "./testing";

afterEach(cleanup);

const search = vi.fn();
const field = (value: string) => <SearchInput label="Search" value={value} onSearch={search} />;
const input = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Search" });

it("removes the value of a token, and does not search for it", async () => {
  const value = "sk-1234567890abcdefghijklmnopqrstuvwxyz";
  renderIn(field(""));
  await userEvent.click(input());
  await userEvent.paste(value);
  await waitFor(() => expect(input().value).toBe(""));
  expect(search).not.toHaveBeenCalledWith(value);
});

it("does not send the form around it with Enter", async () => {
  const submit = vi.fn();
  renderIn(<form onSubmit={submit}>{field("")}</form>);
  await userEvent.type(input(), "abc{Enter}");
  expect(submit).not.toHaveBeenCalled();
});

it("shows the searched text also after it was cleared and set again from outside", async () => {
  const { rerender } = renderIn(field(""));
  await userEvent.type(input(), "abc");
  await waitFor(() => expect(search).toHaveBeenCalledWith("abc"));
  for (const value of ["abc", "", "abc"]) rerender(field(value));
  expect(input().value).toBe("abc");
});
