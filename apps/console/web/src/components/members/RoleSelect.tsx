import { t } from "@lingui/core/macro";
import { Select } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";

import { rolesFor, type TenantRole } from "./memberForm";

/** Shows the field for a role. It offers the roles that a user of the role `own` may assign. */
export function RoleSelect<Values extends { role: TenantRole }>({
  form,
  own,
}: {
  form: UseFormReturnType<Values>;
  own: string;
}) {
  return (
    <Select
      label={t`Role`}
      description={t`Members see their own tokens and logs. Admins manage the whole tenant. Owners also manage owners.`}
      allowDeselect={false}
      data={rolesFor(own)}
      {...form.getInputProps("role")}
    />
  );
}
