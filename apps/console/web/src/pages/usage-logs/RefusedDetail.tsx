import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Stack } from "@mantine/core";

import type { Schema } from "@/api/client";
import { isOperator, useIdentity } from "@/api/session";
import { DescriptionList } from "@/components/DescriptionList";
import { AnchorLink } from "@/components/links";
import { Copyable } from "@/components/values";
import { showDateTime } from "@/format/time";

import { Client } from "./Client";
import { reasonWord } from "./refusals";

/** Shows why a request was refused before it reached a model. */
export function RefusedDetail({ call }: { call: Schema<"RefusedCall"> }) {
  const operator = isOperator(useIdentity());
  return (
    <Stack gap="lg">
      <Alert color="red" title={reasonWord(call.code)}>
        {call.message} <Trans>The request was refused before it reached a model. Nothing was charged.</Trans>
      </Alert>
      <DescriptionList
        items={[
          [t`Time`, showDateTime(call.created_at)],
          [t`Endpoint`, call.endpoint],
          [t`HTTP status`, String(call.status)],
          [
            t`Error code`,
            <span key="code" className="mono">
              {call.code}
            </span>,
          ],
          call.param
            ? [
                t`Field`,
                <span key="param" className="mono">
                  {call.param}
                </span>,
              ]
            : undefined,
          call.model ? [t`Requested model`, call.model] : undefined,
          [
            t`Token`,
            <AnchorLink key="token" to="/tokens/$id" params={{ id: call.token_id }}>
              {call.token_name}
            </AnchorLink>,
          ],
          [t`User`, call.user_email],
          operator && [t`Tenant`, call.tenant],
          call.client ? [t`Client`, <Client key="client" client={call.client} />] : undefined,
          [t`Request ID`, <Copyable key="id" value={call.id} label={t`request ID`} />],
        ]}
      />
    </Stack>
  );
}
