import { Identities } from "./Identities";
import { Passkeys } from "./Passkeys";
import { Password } from "./Password";
import { SecondFactor } from "./SecondFactor";
import { Settings } from "./Settings";

/** Shows the settings of password, second factor, passkeys and linked identities. */
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
