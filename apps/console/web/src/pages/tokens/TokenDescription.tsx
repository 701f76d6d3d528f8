import { Card } from "@mantine/core";

import type { Schema } from "@/api/client";
import { isOperator, useIdentity } from "@/api/session";
import { DescriptionList } from "@/components/DescriptionList";
import { TenantName, UserName } from "@/components/names";
import { Copyable, Moment } from "@/components/values";

/** Shows the main properties of a token. */
export function TokenDescription({ token }: { token: Schema<"Token"> }) {
  const identity = useIdentity();
  return (
    <Card>
      <DescriptionList
        items={[
          ["Value", <span className="mono" key="mask">{token.mask}</span>],
          ["Id", <Copyable value={token.id} label="id" key="id">{`…${token.id.slice(-12)}`}</Copyable>],
          isOperator(identity) && ["Tenant", <TenantName id={token.tenant_id} key="tenant" />],
          identity.user.role !== "member" && ["Owner", <UserName id={token.user_id} key="user" />],
          ["Created", <Moment at={token.created_at} key="created" />],
          ["Last used", <Moment at={token.last_used} key="used" />],
          ["Expires", <Moment at={token.expires_at} key="expires" />],
          ["Permitted models", token.models.length === 0 ? "All that the group permits" : <span className="mono" key="models">{token.models.join(", ")}</span>],
          ["Permitted addresses", token.addresses.length === 0 ? "All" : <span className="mono" key="addresses">{token.addresses.join(", ")}</span>],
        ]}
      />
    </Card>
  );
}
