import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Group } from "@mantine/core";

import type { Schema } from "@/api/client";
import { Role } from "@/components/members/Role";
import type { Column } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { quotaColumns } from "@/components/quota/columns";
import { roleName } from "@/components/roles";
import { Moment, Status } from "@/components/values";

type User = Schema<"User">;

/** Returns the columns of a list of members. `own` is the caller's id. */
export const memberColumns = (own: string): Column<User>[] => [
  {
    id: "member",
    header: t`Member`,
    value: (member) => member.email,
    cell: (member) => (
      <Group gap={8} wrap="nowrap" justify="inherit">
        <AnchorLink to="/members/$id" params={{ id: member.id }} inherit c="inherit" fw={500}>
          {member.email}
        </AnchorLink>
        {member.id === own && (
          <Badge color="gray">
            <Trans>You</Trans>
          </Badge>
        )}
        {!member.email_proven && (
          <Badge color="yellow">
            <Trans>Email not verified</Trans>
          </Badge>
        )}
      </Group>
    ),
  },
  {
    id: "role",
    header: t`Role`,
    width: 110,
    value: (member) => roleName(member.role),
    cell: (member) => <Role role={member.role} />,
  },
  {
    id: "status",
    header: t`Status`,
    width: 120,
    value: (member) => member.status,
    cell: (member) => <Status value={member.status} />,
  },
  ...quotaColumns<User>(
    (member) => member.quota,
    (member) => member.email,
    { width: 240 },
  ),
  {
    id: "joined",
    header: t`Joined`,
    align: "right",
    width: 150,
    value: (member) => member.created_at,
    cell: (member) => <Moment at={member.created_at} />,
    secondary: true,
  },
];
