/**
 * The areas of the console. Each has its own message files, src/locales/NAME/LANGUAGE.po, so that a page loads only
 * the messages that it needs.
 */
export interface Area {
  /** The files and folders below src whose messages belong to the area. The longest match counts. */
  readonly paths: readonly string[];
  /**
   * Other areas whose code this one uses. The areas `start`, `shell` and `common` need not be named by pages with a
   * session.
   */
  readonly needs?: readonly string[];
}

/**
 * All areas by name. `start` is loaded before the first page, `shell` and `common` with the first page that needs a
 * session.
 */
export const areas = {
  start: {
    paths: [
      "api",
      "format",
      "locale",
      "routes",
      "router.tsx",
      "app.tsx",
      "sign-in.tsx",
      "rootElement.ts",
      "nonce.ts",
      "theme.ts",
      "pages/sign-in",
      "pages/NotFound.tsx",
      "components/form.tsx",
      "components/states.tsx",
      "components/values.tsx",
      "shell/Logo.tsx",
      "shell/LogoMark.tsx",
    ],
  },
  shell: { paths: ["shell"], needs: ["common"] },
  common: { paths: ["components"] },
  alerts: { paths: ["pages/alerts"] },
  audit: { paths: ["components/audit"], needs: ["usage-logs"] },
  "audit-log": { paths: ["pages/audit-log"], needs: ["audit"] },
  members: { paths: ["pages/members"] },
  models: { paths: ["pages/models"] },
  overview: { paths: ["pages/overview", "main.tsx", "early.ts"] },
  playground: { paths: ["pages/playground"] },
  quota: { paths: ["pages/quota"], needs: ["overview"] },
  reference: { paths: ["pages/reference"], needs: ["common", "playground"] },
  settings: { paths: ["pages/settings"] },
  tokens: { paths: ["pages/tokens"] },
  "usage-logs": { paths: ["pages/usage-logs"] },
  "operator-audit": { paths: ["pages/operator/audit"], needs: ["audit"] },
  "operator-catalog": { paths: ["pages/operator/catalog"] },
  "operator-channels": {
    paths: ["pages/operator/channels"],
    needs: ["operator-catalog", "operator-models", "operator-price-catalog"],
  },
  "operator-grants": { paths: ["pages/operator/grants"], needs: ["quota"] },
  "operator-groups": { paths: ["pages/operator/groups"], needs: ["operator-catalog"] },
  "operator-import": { paths: ["pages/operator/import"], needs: ["operator-catalog"] },
  "operator-models": { paths: ["pages/operator/models"], needs: ["operator-catalog", "operator-price-catalog"] },
  "operator-playground": { paths: ["pages/operator/playground"], needs: ["operator-catalog", "playground"] },
  "operator-price-catalog": { paths: ["pages/operator/price-catalog"], needs: ["operator-catalog"] },
  "operator-routing": { paths: ["pages/operator/routing"], needs: ["operator-channels"] },
  "operator-suppliers": { paths: ["pages/operator/suppliers"] },
  "operator-system": { paths: ["pages/operator/system"], needs: ["operator-channels"] },
  "operator-tenants": { paths: ["pages/operator/tenants"], needs: ["operator-grants", "operator-users"] },
  "operator-users": { paths: ["pages/operator/users"] },
} as const satisfies Record<string, Area>;

export type AreaName = keyof typeof areas;
