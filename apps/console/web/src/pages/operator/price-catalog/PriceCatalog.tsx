import { t } from "@lingui/core/macro";

import { Page } from "@/components/Page";

import { CatalogFile } from "./CatalogFile";
import { Differences } from "./Differences";

/** Shows which file of public prices applies, and how it differs from current prices. */
export function PriceCatalog() {
  return (
    <Page
      wide
      title={t`Price catalog`}
      description={t`Public prices of providers, compared with yours. Nothing changes until you schedule it.`}
    >
      <CatalogFile />
      <Differences />
    </Page>
  );
}
