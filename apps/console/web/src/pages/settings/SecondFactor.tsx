import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Button, Skeleton, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { ErrorState } from "@/components/states";
import { Moment } from "@/components/values";

import { factorsQuery } from "./factors";
import { ProofModal } from "./ProofModal";
import { RecoveryCodesModal } from "./RecoveryCodes";
import { SettingsCard } from "./SettingsCard";
import { TotpSetup } from "./TotpSetup";

/** Shows whether an authenticator app is set up, with its recovery codes. */
export function SecondFactor() {
  const [opened, setup] = useDisclosure();
  // The dialog stays when a reread says that the app is set up: it then shows the recovery codes.
  return (
    <>
      <Factor setUp={setup.open} />
      <TotpSetup opened={opened} close={setup.close} />
    </>
  );
}

function Factor({ setUp }: { setUp: () => void }) {
  const factors = useQuery(factorsQuery);
  if (factors.error && !factors.data) {
    return (
      <SettingsCard title={t`Second factor`}>
        <ErrorState error={factors.error} retry={() => void factors.refetch()} />
      </SettingsCard>
    );
  }
  if (!factors.data) {
    return (
      <SettingsCard title={t`Second factor`}>
        <Skeleton h={36} />
      </SettingsCard>
    );
  }
  return factors.data.totp ? <InUse factors={factors.data} /> : <NotInUse setUp={setUp} />;
}

function NotInUse({ setUp }: { setUp: () => void }) {
  return (
    <SettingsCard
      title={t`Second factor`}
      aside={
        <Badge color="gray">
          <Trans context="second factor">Off</Trans>
        </Badge>
      }
      description={t`After the password, the sign-in asks for a code from an authenticator app. A stolen password alone isn't enough.`}
      actions={
        <Button variant="default" onClick={setUp}>
          <Trans>Set up an authenticator app</Trans>
        </Button>
      }
    />
  );
}

function InUse({ factors }: { factors: Schema<"Factors"> }) {
  const [renewing, renew] = useDisclosure();
  const [disabling, disable] = useDisclosure();
  const [codes, setCodes] = useState<string[]>();
  const count = factors.recovery_codes;
  const low = count <= 3;
  return (
    <SettingsCard
      title={t`Second factor`}
      aside={
        <Badge color="green">
          <Trans context="second factor">On</Trans>
        </Badge>
      }
      description={
        <Trans>
          After the password, the sign-in asks for a code from your authenticator app. Set up{" "}
          <Moment at={factors.totp_since} />.
        </Trans>
      }
      actions={
        <>
          <Button variant="default" onClick={renew.open}>
            <Trans>New recovery codes</Trans>
          </Button>
          <Button variant="subtle" color="red" onClick={disable.open}>
            <Trans>Turn off</Trans>
          </Button>
        </>
      }
    >
      <Text size="sm" c={low ? "var(--tollgate-warn)" : "dimmed"}>
        {low
          ? plural(count, {
              one: "# recovery code left. Create new ones soon.",
              other: "# recovery codes left. Create new ones soon.",
            })
          : plural(count, { one: "# recovery code left.", other: "# recovery codes left." })}
      </Text>
      <ProofModal
        opened={renewing}
        close={renew.close}
        title={t`New recovery codes`}
        note={t`Your current codes stop working.`}
        word={t`Create new codes`}
        act={async (body) => setCodes((await ask(api.POST("/api/session/recovery-codes", { body }))).recovery_codes)}
      />
      <ProofModal
        opened={disabling}
        close={disable.close}
        title={t`Turn off the second factor?`}
        note={t`You will then sign in with the password alone. Your recovery codes are deleted too.`}
        word={t`Turn off`}
        destructive
        act={async (body) => {
          await ask(api.POST("/api/session/totp/disable", { body }));
        }}
      />
      <RecoveryCodesModal codes={codes} close={() => setCodes(undefined)} />
    </SettingsCard>
  );
}
