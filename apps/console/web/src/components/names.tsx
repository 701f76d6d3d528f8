import { Text } from "@mantine/core";

import { useTenantName, useUserName } from "@/api/names";

/** Shows the e-mail address of the user with the id. A shortened id is shown if the address is unknown. */
export function UserName({ id }: { id: string }) {
  return <Name id={id} name={useUserName(id)} />;
}

/** Shows the name of the tenant with the id, for operators. */
export function TenantName({ id }: { id: string }) {
  return <Name id={id} name={useTenantName(id)} />;
}

function Name({ id, name }: { id: string; name: string | null | undefined }) {
  if (name) {
    return (
      <Text
        component="span"
        inherit
        truncate
        display="inline-block"
        maw={170}
        title={name}
        style={{ verticalAlign: "bottom" }}
      >
        {name}
      </Text>
    );
  }
  return (
    <span className="dimmed mono" title={id}>
      {name === undefined ? "…" : id.slice(-8)}
    </span>
  );
}
