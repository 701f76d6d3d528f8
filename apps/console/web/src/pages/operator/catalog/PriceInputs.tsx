import { Stack } from "@mantine/core";
import type { ReactNode } from "react";

import type { RateName } from "@/components/usage/classes";

import { RateInputs } from "./RateInputs";
import type { PriceValues } from "./rates";
import { ServiceTierInputs } from "./ServiceTierInputs";
import { TierInputs } from "./TierInputs";
import { ToolInputs } from "./ToolInputs";

interface PriceInputsProps {
  values: PriceValues;
  onChange: (values: PriceValues) => void;
  /** The API's error texts by class. */
  errors?: Partial<Record<RateName, ReactNode>>;
}

/** Shows the fields of a price, of its tiers for long inputs, of its service tiers and of tools. */
export function PriceInputs({ values, onChange, errors }: PriceInputsProps) {
  const { rates, tiers, services, tools } = values;
  return (
    <Stack gap="sm">
      <RateInputs
        values={rates}
        {...(errors && { errors })}
        onChange={(name, value) => onChange({ ...values, rates: { ...rates, [name]: value } })}
      />
      <TierInputs tiers={tiers} onChange={(next) => onChange({ ...values, tiers: next })} />
      <ServiceTierInputs
        services={services}
        ordinary={tiers}
        onChange={(next) => onChange({ ...values, services: next })}
      />
      <ToolInputs values={tools} onChange={(next) => onChange({ ...values, tools: next })} />
    </Stack>
  );
}
