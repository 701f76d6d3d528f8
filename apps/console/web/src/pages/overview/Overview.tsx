import { t } from "@lingui/core/macro";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";

import { type Identity, isOperator, useIdentity } from "@/api/session";
import { lazyPart } from "@/components/lazyPart";
import { Page } from "@/components/Page";
import { SegmentedControl } from "@/components/SegmentedControl";
import { LoadingState } from "@/components/states";
import { ranges } from "@/components/usage/range";
import { rangeNames } from "@/components/usage/rangeNames";
import { useNow } from "@/components/usage/useNow";

import { CustomRange } from "./CustomRange";
import { type OverviewSearch, viewOf } from "./query";
import { TenantOverview } from "./TenantOverview";
import { useUsage } from "./view";

const PlatformOverview = lazyPart(async () => ({ default: (await import("./PlatformOverview")).PlatformOverview }));
const FilterLine = lazyPart(async () => ({ default: (await import("./FilterLine")).FilterLine }));

const route = getRouteApi("/signed-in/");

function descriptionFor(identity: Identity): string {
  if (isOperator(identity)) return t`Usage of all tenants.`;
  if (identity.user.role === "member") return t`Your own usage.`;
  const name = identity.tenant?.name;
  return name === undefined ? t`Usage of your tenant.` : t`Usage of ${name}.`;
}

/** Shows recent spend and calls: for operators of the whole platform, for all other users of their tenant. */
export function Overview() {
  const identity = useIdentity();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/" });
  const now = useNow();
  const view = useMemo(() => viewOf(identity, search, now), [identity, search, now]);
  const usage = useUsage(view);
  const set = (change: OverviewSearch) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const props = { view, usage, set };
  return (
    <Page
      wide
      title={t`Overview`}
      description={descriptionFor(identity)}
      actions={
        <>
          <SegmentedControl
            size="sm"
            aria-label={t`Time range`}
            data={ranges.map((value) => ({ value, label: <span title={rangeNames[value]}>{value}</span> }))}
            value={view.range ?? ""}
            onChange={(range) => set({ range, from: undefined, to: undefined })}
          />
          <CustomRange {...props} />
        </>
      }
    >
      {view.filtered && <FilterLine {...props} />}
      {isOperator(identity) ? (
        <PlatformOverview waiting={<LoadingState />} {...props} />
      ) : (
        <TenantOverview {...props} />
      )}
    </Page>
  );
}
