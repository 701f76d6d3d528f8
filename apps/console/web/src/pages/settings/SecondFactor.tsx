import { Badge, Button, Skeleton, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { ErrorState } from "@/components/states";
import { Moment } from "@/components/values";
import { plural } from "@/format/number";

import { factorsQuery } from "./factors";
import { ProofModal } from "./ProofModal";
import { RecoveryCodesModal } from "./RecoveryCodes";
import { SettingsCard } from "./SettingsCard";
import { TotpSetup } from "./TotpSetup";

/** Shows whether an authenticator app is set up, with its recovery codes. */
export function SecondFactor() {
  const factors = useQuery(factorsQuery);
  if (factors.error && !factors.data) {
    return (
      <SettingsCard title="Second factor">
        <ErrorState error={factors.error} retry={() => void factors.refetch()} />
      </SettingsCard>
    );
  }
  if (!factors.data) {
    return (
      <SettingsCard title="Second factor">
        <Skeleton h={36} />
      </SettingsCard>
    );
  }
  return factors.data.totp ? <InUse factors={factors.data} /> : <NotInUse />;
}

function NotInUse() {
  const [opened, modal] = useDisclosure();
  return (
    <SettingsCard
      title="Second factor"
      aside={<Badge color="gray">Off</Badge>}
      description="An authenticator app shows a code that the sign-in asks for after the password. Who steals the password alone does not come in."
      actions={
        <Button variant="default" onClick={modal.open}>
          Set up an authenticator app
        </Button>
      }
    >
      <TotpSetup opened={opened} close={modal.close} />
    </SettingsCard>
  );
}

function InUse({ factors }: { factors: Schema<"Factors"> }) {
  const [renewing, renew] = useDisclosure();
  const [disabling, disable] = useDisclosure();
  const [codes, setCodes] = useState<string[]>();
  const low = factors.recovery_codes <= 3;
  return (
    <SettingsCard
      title="Second factor"
      aside={<Badge color="green">On</Badge>}
      description={
        <>
          The sign-in asks for a code of your authenticator app after the password. Set up <Moment at={factors.totp_since} />.
        </>
      }
      actions={
        <>
          <Button variant="default" onClick={renew.open}>
            New recovery codes
          </Button>
          <Button variant="subtle" color="red" onClick={disable.open}>
            Turn off
          </Button>
        </>
      }
    >
      <Text size="sm" c={low ? "var(--tollgate-warn)" : "dimmed"}>
        {plural(factors.recovery_codes, "recovery code")} left{low ? ": make new ones soon." : "."}
      </Text>
      <ProofModal
        opened={renewing}
        close={renew.close}
        title="New recovery codes"
        note="The codes that you have now are void then."
        word="Make new codes"
        act={async (body) => setCodes((await ask(api.POST("/api/session/recovery-codes", { body }))).recovery_codes)}
      />
      <ProofModal
        opened={disabling}
        close={disable.close}
        title="Turn the second factor off?"
        note="Signing in takes the password alone then. The recovery codes go too."
        word="Turn off"
        destructive
        act={async (body) => {
          await ask(api.POST("/api/session/totp/disable", { body }));
        }}
      />
      <RecoveryCodesModal codes={codes} close={() => setCodes(undefined)} />
    </SettingsCard>
  );
}
