// @vitest-environment happy-dom
import { act, configure, fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

configure({ asyncUtilTimeout: 20_000 }); // a loaded machine is slow to import the console

const replace = vi.hoisted(() => vi.fn());
vi.mock("./router", () => ({ router: { history: { replace } } }));
vi.mock("@tanstack/react-router", async (original) => ({ ...(await original<object>()), RouterProvider: () => null }));

const answer = (data: unknown) => ({ data, response: new Response() }) as never;

beforeEach(async () => {
  vi.resetModules(); // each test loads the page
  const { api } = await import("@/api/client");
  sessionStorage.clear();
  replace.mockClear();
  document.body.innerHTML = '<div id="root"></div>';
  vi.spyOn(api, "GET").mockResolvedValue(answer({ oidc: { name: "Acme", path: "/api/session/oidc" } }));
  vi.spyOn(api, "POST").mockResolvedValue(answer({ user: { id: "u" }, expires_at: "2026-01-01T00:00:00Z" }));
});
afterEach(() => vi.restoreAllMocks());

/** Opens the sign-in page, which the server sends in place of a page that needs a session. */
async function open(page: string) {
  window.history.replaceState(null, "", page);
  await act(() => import("./sign-in"));
  await screen.findByRole("link", { name: "Acme" });
}

/** Loads the console at the page, as after a single sign-on. */
async function load(page: string) {
  window.history.replaceState(null, "", page);
  const { start } = await import("./app");
  await act(() => start(document.createElement("div")));
}

it("a sign-in on the page leads to the settings in the fragment", async () => {
  await open("/playground?model=m#settings=abc");
  await userEvent.type(screen.getByLabelText("Email address"), "a@acme.example");
  await userEvent.type(screen.getByLabelText("Password"), "secret");
  await userEvent.click(screen.getByRole("button", { name: "Sign in" }));
  await waitFor(() => expect(replace).toHaveBeenCalledWith("/playground?model=m#settings=abc"));
});

it("a sign-in opens the page from the server if the code of the console can't be loaded", async () => {
  vi.doMock("./app", () => {
    throw new TypeError("Failed to fetch dynamically imported module");
  });
  const assign = vi.spyOn(window.location, "assign").mockImplementation(() => {});
  await open("/playground?model=m");
  fireEvent.change(screen.getByLabelText("Email address"), { target: { value: "a@acme.example" } });
  fireEvent.change(screen.getByLabelText("Password"), { target: { value: "secret" } });
  fireEvent.click(screen.getByRole("button", { name: "Sign in" }));
  await waitFor(() => expect(assign).toHaveBeenCalledWith("/playground?model=m"));
  vi.doUnmock("./app");
});

it("a single sign-on leads to the settings once, and no address on its way has them", async () => {
  await open("/playground#settings=abc");
  expect(window.location.href).toMatch(/\/sign-in\?to=%2Fplayground$/);
  expect(screen.getByRole("link", { name: "Acme" }).getAttribute("href")).toBe(
    "/api/session/oidc?return=%2Fplayground",
  );
  await load("/playground");
  expect(replace).toHaveBeenCalledWith("/playground#settings=abc");
  replace.mockClear();
  await load("/playground");
  expect(replace).not.toHaveBeenCalled();
});

it("another page than that of the fragment does not get it, and ends its wait", async () => {
  await open("/playground#settings=abc");
  await load("/tokens");
  await load("/playground");
  expect(replace).not.toHaveBeenCalled();
});

it("a session that has ended leads to the sign-in without the settings, and they are kept", async () => {
  const { signedInRoute } = await import("./routes/root");
  const { Problem } = await import("@/api/problem");
  const ended = new Problem(401, undefined);
  const location = { pathname: "/playground", searchStr: "?model=m", hash: "settings=abc" };
  const context = { queryClient: { ensureQueryData: () => Promise.reject(ended) } };
  const refused = await signedInRoute.options
    .beforeLoad?.({ context, location } as never)
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ options: { to: "/sign-in", search: { to: "/playground?model=m" } } });
  await load("/playground?model=m");
  expect(replace).toHaveBeenCalledWith("/playground?model=m#settings=abc");
});
