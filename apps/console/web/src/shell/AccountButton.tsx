import { Trans } from "@lingui/react/macro";
import { Avatar, Stack, Text, UnstyledButton, type UnstyledButtonProps, VisuallyHidden } from "@mantine/core";
import { IconSelector } from "@tabler/icons-react";
import type { ComponentPropsWithRef } from "react";

import type { Identity } from "@/api/session";
import { roleName } from "@/components/roles";

import classes from "./AccountButton.module.css";

interface AccountButtonProps
  extends UnstyledButtonProps, Omit<ComponentPropsWithRef<"button">, keyof UnstyledButtonProps> {
  identity: Identity;
}

/** The button that opens the account menu. It shows the e-mail address and the role of the signed-in user. */
export function AccountButton({ identity, className, ...rest }: AccountButtonProps) {
  const { email, role } = identity.user;
  return (
    <UnstyledButton className={`${classes["target"]} ${className ?? ""}`} {...rest}>
      <Avatar size={30} radius="xl" color="iris" name={email} alt="" aria-hidden />
      <Stack gap={0} miw={0} flex={1}>
        <Text size="sm" fw={500} truncate>
          <VisuallyHidden>
            <Trans>Account:</Trans>{" "}
          </VisuallyHidden>
          {email}
        </Text>
        <Text size="xs" c="dimmed">
          {roleName(role)}
        </Text>
      </Stack>
      <IconSelector size={15} opacity={0.6} aria-hidden />
    </UnstyledButton>
  );
}
