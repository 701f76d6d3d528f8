import { SegmentedControl } from "@mantine/core";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";

import { isOperator, useIdentity } from "@/api/session";
import { Page } from "@/components/Page";
import { rangeNames, ranges, spanOf } from "@/components/usage/range";
import { useNow } from "@/components/usage/useNow";

import { dimensionsOf, type OverviewSearch } from "./search";
import { PlatformOverview } from "./PlatformOverview";
import { TenantOverview } from "./TenantOverview";

const route = getRouteApi("/signed-in/");

/** Shows recent spend and calls: for operators of the whole platform, for all other users of their tenant. */
export function Overview() {
  const identity = useIdentity();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/" });
  const now = useNow();
  const range = search.range ?? "30d";
  const span = useMemo(() => spanOf(range, now), [range, now]);
  const choices = dimensionsOf(identity.user.role);
  const by = choices.find((one) => one === search.by) ?? choices[0] ?? "model";
  const set = (change: OverviewSearch) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const view = { range, span, by, choices, measure: search.measure ?? ("spend" as const), set };
  return (
    <Page
      wide
      title="Overview"
      description={isOperator(identity) ? "The platform: all tenants together." : identity.user.role === "member" ? "Your own usage." : `The usage of ${identity.tenant?.name ?? "your tenant"}.`}
      actions={
        <SegmentedControl
          size="sm"
          aria-label="Time range"
          data={ranges.map((value) => ({ value, label: <span title={rangeNames[value]}>{value}</span> }))}
          value={range}
          onChange={(value) => set({ range: ranges.find((one) => one === value) })}
        />
      }
    >
      {isOperator(identity) ? <PlatformOverview view={view} /> : <TenantOverview view={view} />}
    </Page>
  );
}
