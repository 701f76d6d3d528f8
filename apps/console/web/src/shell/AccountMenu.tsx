import { lazy, Suspense, useState } from "react";

import type { Identity } from "@/api/session";

import { AccountButton } from "./AccountButton";

const load = () => import("./AccountMenuOpen");
const AccountMenuOpen = lazy(load);

/**
 * Shows the account menu: appearance, settings, sign-out. The code of the open menu is loaded when the pointer or the
 * focus reaches the button.
 */
export function AccountMenu({ identity }: { identity: Identity }) {
  const [wanted, setWanted] = useState(false);
  const closed = (
    <AccountButton
      identity={identity}
      aria-haspopup="menu"
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setWanted(true)}
    />
  );
  return wanted ? (
    <Suspense fallback={closed}>
      <AccountMenuOpen identity={identity} />
    </Suspense>
  ) : (
    closed
  );
}
