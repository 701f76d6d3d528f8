import { t } from "@lingui/core/macro";
import { UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { showUsd } from "@/format/money";

/**
 * Shows an amount to the cent. A click, or the Enter key, shows the exact amount instead. Less than a cent is always
 * exact.
 */
export function Cents({ amount }: { amount: string }) {
  const [exact, { toggle }] = useDisclosure(false);
  const [rounded, full] = [showUsd(amount, 2), showUsd(amount)];
  if (rounded === full || Math.abs(Number(amount)) < 0.01) return <span className="tabular">{full}</span>;
  return (
    <UnstyledButton
      onClick={toggle}
      className="tabular"
      style={{
        font: "inherit",
        letterSpacing: "inherit",
        textDecorationLine: "underline",
        textDecorationStyle: "dotted",
        textUnderlineOffset: 6,
        textDecorationThickness: 1,
      }}
      title={exact ? t`Show the amount to the cent` : t`Show the exact amount`}
      aria-pressed={exact}
    >
      {exact ? full : rounded}
    </UnstyledButton>
  );
}
