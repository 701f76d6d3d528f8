import { useState } from "react";

import type { Identity } from "@/api/session";
import { lazyPart } from "@/components/lazyPart";

import { AccountButton } from "./AccountButton";

const load = () => import("./AccountMenuOpen");
const AccountMenuOpen = lazyPart(load);

/**
 * Shows the account menu: appearance, settings, sign-out. The code of the open menu is loaded when the pointer or the
 * focus reaches the button.
 */
export function AccountMenu({ identity }: { identity: Identity }) {
  const [wanted, setWanted] = useState(0);
  const closed = (
    <AccountButton
      identity={identity}
      aria-haspopup="menu"
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setWanted((before) => before + 1)}
    />
  );
  return wanted > 0 ? <AccountMenuOpen identity={identity} use={wanted} waiting={closed} instead={closed} /> : closed;
}
