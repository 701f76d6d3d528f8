import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import type { ChannelFilter } from "@/pages/channels/tiers";
import type { ModelFilter } from "@/pages/operator-models/models";
import { routingSearch } from "@/pages/routing/question";

import { oneOf, operatorsRoute, text } from "./root";

const statuses = ["enabled", "disabled"] as const;

/** The operators' pages of channels, models and prices, groups, imports, and of the platform's state. */
export const catalogueRoutes = {
  channels: createRoute({
    ...operatorsRoute,
    path: "/operator/channels",
    validateSearch: (search: Record<string, unknown>): ChannelFilter => ({
      search: text(search["search"]),
      model: text(search["model"]),
      type: text(search["type"], 40),
      status: oneOf(search["status"], statuses),
    }),
    component: lazyRouteComponent(() => import("@/pages/channels/Channels"), "Channels"),
  }),
  routing: createRoute({ ...operatorsRoute, path: "/operator/routing", validateSearch: routingSearch, component: lazyRouteComponent(() => import("@/pages/routing/Routing"), "Routing") }),
  channel: createRoute({ ...operatorsRoute, path: "/operator/channels/$id", component: lazyRouteComponent(() => import("@/pages/channels/ChannelPage"), "ChannelPage") }),
  operatorModels: createRoute({
    ...operatorsRoute,
    path: "/operator/models",
    validateSearch: (search: Record<string, unknown>): ModelFilter => ({ search: text(search["search"]), status: oneOf(search["status"], [...statuses, "attention"] as const) }),
    component: lazyRouteComponent(() => import("@/pages/operator-models/OperatorModels"), "OperatorModels"),
  }),
  operatorModel: createRoute({ ...operatorsRoute, path: "/operator/models/$id", component: lazyRouteComponent(() => import("@/pages/operator-models/ModelPage"), "ModelPage") }),
  groups: createRoute({
    ...operatorsRoute,
    path: "/operator/groups",
    validateSearch: (search: Record<string, unknown>): { search?: string | undefined } => ({ search: text(search["search"]) }),
    component: lazyRouteComponent(() => import("@/pages/groups/OperatorGroups"), "OperatorGroups"),
  }),
  group: createRoute({ ...operatorsRoute, path: "/operator/groups/$id", component: lazyRouteComponent(() => import("@/pages/groups/GroupPage"), "GroupPage") }),
  import: createRoute({ ...operatorsRoute, path: "/operator/import", component: lazyRouteComponent(() => import("@/pages/import/Import"), "Import") }),
  system: createRoute({ ...operatorsRoute, path: "/operator/system", component: lazyRouteComponent(() => import("@/pages/system/System"), "System") }),
};
