import { t } from "@lingui/core/macro";
import { Card } from "@mantine/core";

import type { Schema } from "@/api/client";
import { isOperator, useIdentity } from "@/api/session";
import { DescriptionList } from "@/components/DescriptionList";
import { TenantName, UserName } from "@/components/names";
import { Copyable, Moment } from "@/components/values";

import { neverExpires } from "./form";

/** Shows the main properties of a token. A revoked one has no lists of models and IPs any more. */
export function TokenDescription({ token }: { token: Schema<"Token"> }) {
  const identity = useIdentity();
  const revoked = token.status === "revoked";
  return (
    <Card>
      <DescriptionList
        items={[
          [
            t`Value`,
            <span className="mono" key="mask">
              {token.mask}
            </span>,
          ],
          [t`ID`, <Copyable value={token.id} label={t`ID`} key="id">{`…${token.id.slice(-12)}`}</Copyable>],
          isOperator(identity) && [t`Tenant`, <TenantName id={token.tenant_id} key="tenant" />],
          identity.user.role !== "member" && [t`Owner`, <UserName id={token.user_id} key="user" />],
          [t`Created`, <Moment at={token.created_at} key="created" />],
          [t`Last used`, <Moment at={token.last_used} key="used" />],
          [t`Expires`, <Moment at={token.expires_at} none={neverExpires()} key="expires" />],
          !revoked && [
            t`Allowed models`,
            token.models.length === 0 ? (
              t`All models of the group`
            ) : (
              <span className="mono" key="models">
                {token.models.join(", ")}
              </span>
            ),
          ],
          !revoked && [
            t`Allowed IPs`,
            token.addresses.length === 0 ? (
              t`Any`
            ) : (
              <span className="mono" key="addresses">
                {token.addresses.join(", ")}
              </span>
            ),
          ],
        ]}
      />
    </Card>
  );
}
