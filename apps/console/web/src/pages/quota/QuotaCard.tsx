import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Box, Card, Group, Skeleton, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

import type { Schema } from "@/api/client";
import { QuotaBar } from "@/components/quota/QuotaBar";
import { divide } from "@/components/quota/share";
import { decimalUsd } from "@/format/money";
import { runsOut } from "@/pages/overview/runsOut";

import { Cents } from "./Cents";

interface QuotaCardProps {
  title: string;
  /** The quota; undefined while it loads. */
  quota: Schema<"Quota"> | undefined;
  forecast: Schema<"Forecast"> | undefined;
  hint: ReactNode;
}

/** Shows how much of a quota is left, used and leased, and when it runs out. */
export function QuotaCard({ title, quota, forecast, hint }: QuotaCardProps) {
  const division = quota && divide(quota);
  return (
    <Card component="section" aria-label={title}>
      <Stack gap="sm">
        <Text c="dimmed" size="sm">
          {title}
        </Text>
        {quota ? (
          <Text
            fz="1.75rem"
            fw={600}
            lh={1.2}
            className="tabular"
            style={{ letterSpacing: "-0.02em" }}
            aria-live="polite"
          >
            {quota.left === null ? (
              <Trans>Unlimited</Trans>
            ) : (
              <Trans>
                <Cents amount={quota.left} />{" "}
                <Text component="span" c="dimmed" size="md" fw={400} style={{ letterSpacing: 0 }}>
                  left
                </Text>
              </Trans>
            )}
          </Text>
        ) : (
          <Skeleton h={34} w="50%" />
        )}
        {quota && <QuotaBar quota={quota} label={title} />}
        {quota && (
          <Group gap="lg" style={{ rowGap: 6 }}>
            <Part color="var(--mantine-color-iris-6)" label={t`Used`} amount={quota.used} />
            <Part color="var(--mantine-color-gray-5)" label={t`Reserved`} amount={quota.leased} />
            {division && (
              <Part
                color="var(--mantine-color-default-border)"
                label={t`Available`}
                amount={decimalUsd(division.free)}
              />
            )}
            {quota.granted !== null && <Part label={t`Granted`} amount={quota.granted} />}
          </Group>
        )}
        {quota && quota.granted !== null && forecast && <Text size="sm">{runsOut(forecast, Date.now())}</Text>}
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      </Stack>
    </Card>
  );
}

function Part({ color, label, amount }: { color?: string; label: string; amount: string }) {
  return (
    <Group gap={6} wrap="nowrap">
      {color && <Box w={8} h={8} bdrs="50%" bg={color} aria-hidden />}
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="sm" fw={500}>
        <Cents amount={amount} />
      </Text>
    </Group>
  );
}
