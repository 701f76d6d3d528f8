import { Avatar, Stack, Text, UnstyledButton, type UnstyledButtonProps, VisuallyHidden } from "@mantine/core";
import { IconSelector } from "@tabler/icons-react";
import { type ComponentPropsWithRef, lazy, Suspense, useState } from "react";

import type { Identity } from "@/api/session";

import classes from "./AccountMenu.module.css";

const load = () => import("./AccountMenuOpen");
const AccountMenuOpen = lazy(load);

/** Who is signed in, the colour scheme, and the way out. The menu itself is loaded when somebody reaches for it. */
export function AccountMenu({ identity }: { identity: Identity }) {
  const [wanted, setWanted] = useState(false);
  const closed = <AccountButton identity={identity} aria-haspopup="menu" onPointerEnter={() => void load()} onFocus={() => void load()} onClick={() => setWanted(true)} />;
  return wanted ? <Suspense fallback={closed}><AccountMenuOpen identity={identity} /></Suspense> : closed;
}

interface AccountButtonProps extends UnstyledButtonProps, Omit<ComponentPropsWithRef<"button">, keyof UnstyledButtonProps> {
  identity: Identity;
}

export function AccountButton({ identity, className, ...rest }: AccountButtonProps) {
  const { email, role } = identity.user;
  return (
    <UnstyledButton className={`${classes["target"]} ${className ?? ""}`} {...rest}>
      <Avatar size={30} radius="xl" color="iris" name={email} alt="" aria-hidden />
      <Stack gap={0} miw={0} flex={1}>
        <Text size="sm" fw={500} truncate>
          <VisuallyHidden>Account of </VisuallyHidden>
          {email}
        </Text>
        <Text size="xs" c="dimmed" tt="capitalize">
          {role}
        </Text>
      </Stack>
      <IconSelector size={15} opacity={0.6} aria-hidden />
    </UnstyledButton>
  );
}
