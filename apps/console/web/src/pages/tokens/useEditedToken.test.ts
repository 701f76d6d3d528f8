// @vitest-environment happy-dom
import { act, renderHook, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";

import { useEditedToken } from "./useEditedToken";

afterEach(() => vi.restoreAllMocks());

it("edits the token of the last click, although the answer for an earlier one comes later", async () => {
  const answers = new Map<string, () => void>();
  vi.spyOn(api, "GET").mockImplementation(
    ((_path: string, { params }: { params: { path: { id: string } } }) =>
      new Promise((resolve) => {
        const { id } = params.path;
        answers.set(id, () => resolve({ data: { id }, response: new Response() }));
      })) as never,
  );
  const { result } = renderHook(useEditedToken);
  act(() => {
    result.current.edit("slow");
    result.current.edit("fast");
  });
  answers.get("fast")?.();
  await waitFor(() => expect(result.current.token?.id).toBe("fast"));
  await act(async () => answers.get("slow")?.());
  expect(result.current.token?.id).toBe("fast");
  act(() => result.current.close());
  expect(result.current.token).toBeUndefined();
  act(() => {
    result.current.edit("late");
    result.current.close();
  });
  await act(async () => answers.get("late")?.());
  expect(result.current.token).toBeUndefined();
});
