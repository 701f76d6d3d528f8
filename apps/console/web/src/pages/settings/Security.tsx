import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
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
        <Alert color="yellow" title={t`You need a second factor`}>
          <Trans>Set up an authenticator app or add a passkey. Then you can use the rest of the console.</Trans>
        </Alert>
      )}
      <Password />
      <SecondFactor />
      <Passkeys />
      <Identities />
    </Settings>
  );
}
