import { Identities } from "./Identities";
import { Passkeys } from "./Passkeys";
import { Password } from "./Password";
import { SecondFactor } from "./SecondFactor";
import { Settings } from "./Settings";

/** How one proves who one is. */
export function Security() {
  return (
    <Settings tab="/settings/security">
      <Password />
      <SecondFactor />
      <Passkeys />
      <Identities />
    </Settings>
  );
}
