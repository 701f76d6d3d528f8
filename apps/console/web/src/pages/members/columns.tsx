import { Badge, Group, Text } from "@mantine/core";

import type { Schema } from "@/api/client";
import { Role } from "@/components/members/Role";
import type { Column } from "@/components/DataTable";
import { QuotaUse } from "@/components/quota/QuotaUse";
import { Moment, Status } from "@/components/values";

type User = Schema<"User">;

/** Returns the columns of a list of members. `own` is the caller's id. */
export const memberColumns = (own: string): Column<User>[] => [
  {
    header: "Member",
    cell: (member) => (
      <Group gap={8} wrap="nowrap" justify="inherit">
        <Text component="span" inherit fw={500}>
          {member.email}
        </Text>
        {member.id === own && <Badge color="gray">You</Badge>}
        {!member.email_proven && <Badge color="yellow">Address not proven</Badge>}
      </Group>
    ),
  },
  { header: "Role", width: 110, cell: (member) => <Role role={member.role} /> },
  { header: "Status", width: 120, cell: (member) => <Status value={member.status} /> },
  { header: "Quota", width: 240, cell: (member) => <QuotaUse quota={member.quota} label={member.email} /> },
  { header: "Joined", align: "right", width: 150, cell: (member) => <Moment at={member.created_at} />, secondary: true },
];
