import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Card, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";

import { SegmentedControl } from "@/components/SegmentedControl";

import { RateInputs } from "./RateInputs";
import {
  maxServiceTiers,
  multiplierFault,
  rateValues,
  serviceNameFault,
  type ServiceValues,
  type TierValues,
} from "./rates";
import { TierInputs } from "./TierInputs";

interface ServiceTierInputsProps {
  services: ServiceValues[];
  /** The tiers for long inputs of ordinary calls. */
  ordinary: TierValues[];
  onChange: (services: ServiceValues[]) => void;
}

const titleOf = (name: string) => t`Service tier ${name}`;

/** Shows the fields of the service tiers of a price. */
export function ServiceTierInputs({ services, ordinary, onChange }: ServiceTierInputsProps) {
  return (
    <>
      {services.map((service, i) => (
        // A service tier has no id, and its name changes while it is typed.
        // oxlint-disable-next-line no-array-index-key
        <Card key={i} withBorder role="group" aria-label={titleOf(service.name || String(i + 1))}>
          <Fields
            service={service}
            nameFault={serviceNameFault(services, i)}
            ordinary={ordinary}
            onChange={(next) => onChange(services.with(i, next))}
            remove={() => onChange(services.toSpliced(i, 1))}
          />
        </Card>
      ))}
      {services.length < maxServiceTiers && (
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...services, { name: "", multiplier: "", rates: rateValues(undefined), tiers: [] }])}
        >
          <Trans>Add a service tier</Trans>
        </Button>
      )}
    </>
  );
}

interface FieldsProps {
  service: ServiceValues;
  /** What is wrong with its name. */
  nameFault: string | undefined;
  ordinary: TierValues[];
  onChange: (service: ServiceValues) => void;
  remove: () => void;
}

function Fields({ service, nameFault, ordinary, onChange, remove }: FieldsProps) {
  const { name, multiplier, rates, tiers } = service;
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="flex-start">
        <TextInput
          label={t`Service tier`}
          description={t`The name in the provider’s responses, such as priority or flex.`}
          value={name}
          error={name !== "" && nameFault}
          onChange={(event) => onChange({ ...service, name: event.currentTarget.value })}
        />
        <Button variant="subtle" color="red" size="xs" onClick={remove}>
          <Trans>Remove service tier</Trans>
        </Button>
      </Group>
      <SegmentedControl
        aria-label={t`Pricing of the service tier`}
        value={multiplier === undefined ? "rates" : "multiplier"}
        data={[
          { value: "multiplier", label: t`Multiplier` },
          { value: "rates", label: t`Own prices` },
        ]}
        onChange={(kind) => onChange({ ...service, multiplier: kind === "rates" ? undefined : "" })}
      />
      {multiplier === undefined ? (
        <>
          <RateInputs
            values={rates}
            onChange={(rate, value) => onChange({ ...service, rates: { ...rates, [rate]: value } })}
          />
          <TierInputs tiers={tiers} onChange={(next) => onChange({ ...service, tiers: next })} />
          {ordinary.length > 0 && tiers.length === 0 && (
            <Text size="sm" c="var(--tollgate-bad)">
              <Trans>Add tiers for long inputs: the tiers above don’t apply to this service tier.</Trans>
            </Text>
          )}
        </>
      ) : (
        <TextInput
          label={t`Multiplier`}
          description={t`Applies to all token prices, including those for long inputs, but not to prices per request or of tools.`}
          value={multiplier}
          leftSection="×"
          inputMode="decimal"
          error={multiplier !== "" && multiplierFault(multiplier)}
          onChange={(event) => onChange({ ...service, multiplier: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}
