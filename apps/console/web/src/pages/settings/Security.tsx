import { Alert } from "@mantine/core";

import { useIdentity } from "@/api/session";

import { Identities } from "./Identities";
import { Passkeys } from "./Passkeys";
import { Password } from "./Password";
import { SecondFactor } from "./SecondFactor";
import { Settings } from "./Settings";

/** Shows the settings of password, second factor, passkeys and linked identities. */
export function Security() {
  const { must_enrol: mustEnrol } = useIdentity();
  return (
    <Settings tab="/settings/security">
      {mustEnrol && (
        <Alert color="yellow" title="You need a second factor">
          Set up an authenticator app or add a passkey. Everything else is open to you afterwards.
        </Alert>
      )}
      <Password />
      <SecondFactor />
      <Passkeys />
      <Identities />
    </Settings>
  );
}
