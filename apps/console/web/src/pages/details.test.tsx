// @vitest-environment happy-dom
import { act, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { expect, it } from "vitest";

import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";
import { stallReads, renderPage } from "@/components/testingPages";

import { MemberPage } from "./members/MemberPage";
import { channelQuery } from "./operator/catalog/queries";
import { ChannelPage } from "./operator/channels/ChannelPage";
import { channel } from "./operator/channels/testing";
import { accountQuery } from "./operator/suppliers/queries";
import { SupplierAccount } from "./operator/suppliers/SupplierAccount";
import { TenantDetail } from "./operator/tenants/TenantDetail";

const quota = { granted: "5", used: "0", left: "5", leased: "0" };
const caps = { day: null, week: null, month: null };

interface Case {
  page: () => ReactNode;
  path: string;
  key: (id: string) => readonly unknown[];
  record: (id: string) => object;
  /** The button that opens a dialog. */
  button: string;
  role?: string;
}

const cases: Record<string, Case> = {
  tenant: {
    page: TenantDetail,
    path: "/operator/tenants/$id",
    key: (id) => ["tenants", "one", id],
    record: (id) => ({ id, name: id, slug: id, status: "enabled", quota, caps, created_at: "2026-01-01T00:00:00Z" }),
    button: "Move quota",
  },
  channel: {
    page: ChannelPage,
    path: "/operator/channels/$id",
    key: (id) => channelQuery(id).queryKey,
    record: (id) => channel({ id, name: id }),
    button: "Edit",
  },
  "billing account": {
    page: SupplierAccount,
    path: "/operator/supplier-invoices/$id",
    key: (id) => accountQuery(id).queryKey,
    record: (id) => ({ id, name: id, provider: "csv", base_url: "", status: "enabled", channels: [], keys: [] }),
    button: "Edit",
  },
  member: {
    page: MemberPage,
    path: "/members/$id",
    key: (id) => ["members", "one", id],
    record: (id) => ({ items: [{ id, email: id, role: "member", status: "enabled", quota, caps, limits: {} }] }),
    button: "Edit",
    role: "owner",
  },
};

stallReads();

it.each(Object.entries(cases))(
  "page of a %s: a dialog does not stay when the address changes to another one",
  async (_name, { page, path, key, record, button, role = "operator" }) => {
    queryClient.setQueryData<Identity>(sessionQuery.queryKey, { user: { id: "o", role } } as Identity);
    for (const id of ["first", "second"]) queryClient.setQueryData(key(id), record(id));
    const history = renderPage(page, path, path.replace("$id", "second"));
    await screen.findByRole("heading", { name: "second" });
    act(() => history.push(path.replace("$id", "first")));
    await screen.findByRole("heading", { name: "first" });
    await userEvent.click(screen.getByRole("button", { name: button }));
    await screen.findByRole("dialog");
    act(() => history.back());
    await screen.findByText("second", { selector: "h1, h1 *" });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  },
);
