import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Modal, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { CodeBlock } from "@/components/CodeBlock";
import { DescriptionList } from "@/components/DescriptionList";
import { FormError } from "@/components/form";
import { Status } from "@/components/values";
import { channelHealthQuery, type Channel } from "@/pages/operator/catalog/queries";

import { nameOf, wordOf } from "@/components/channels/status";
import classes from "./TestModal.module.css";
import { Timing } from "./Timing";

interface TestModalProps {
  opened: boolean;
  close: () => void;
  channel: Channel;
}

/** Tests a channel with a real call of a few tokens. */
export function TestModal({ opened, close, channel }: TestModalProps) {
  const { name } = channel;
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t`Test ${name}`}
      size={560}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <Test channel={channel} />
    </Modal>
  );
}

const sides = () => [
  { value: "", label: t`Automatic` },
  { value: "chat", label: "Chat" },
  { value: "responses", label: "Responses" },
  { value: "embeddings", label: "Embeddings" },
]; // not translated: names of endpoints

function Test({ channel }: { channel: Channel }) {
  const models = Object.keys(channel.models).sort();
  const health = useQuery(channelHealthQuery(channel.id));
  const [model, setModel] = useState(models[0] ?? null);
  const [endpoint, setEndpoint] = useState("");
  const [fingerprint, setFingerprint] = useState("");
  const test = useMutation({
    mutationFn: () => {
      const body: Schema<"ChannelTest"> = {
        ...(model && { model }),
        ...((endpoint === "chat" || endpoint === "responses" || endpoint === "embeddings") && { endpoint }),
        ...(fingerprint && { fingerprint }),
      };
      return ask(api.POST("/api/operator/channels/{id}/test", { params: { path: { id: channel.id } }, body }));
    },
  });
  const credentials = health.data?.credentials.filter((credential) => credential.fingerprint) ?? [];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        test.mutate();
      }}
    >
      <Stack>
        <Text c="dimmed">
          <Trans>
            A real call of a few tokens, from this console. It is not metered, and doesn't affect channel health.
          </Trans>
        </Text>
        <Select
          label={t`Model`}
          data={models}
          value={model}
          onChange={setModel}
          allowDeselect={false}
          searchable={models.length > 8}
          limit={100}
          data-autofocus
        />
        <Group grow>
          <Select
            label={t`Endpoint`}
            data={sides()}
            value={endpoint}
            onChange={(word) => setEndpoint(word ?? "")}
            allowDeselect={false}
          />
          {credentials.length > 1 && (
            <Select
              label={t`Credential`}
              data={[
                { value: "", label: t`First enabled` },
                ...credentials.map((credential) => ({ value: credential.fingerprint, label: nameOf(credential) })),
              ]}
              value={fingerprint}
              onChange={(name) => setFingerprint(name ?? "")}
              allowDeselect={false}
            />
          )}
        </Group>
        <FormError error={test.error} />
        <div aria-live="polite">{test.data && !test.isPending && <Result tested={test.data} />}</div>
        <Group justify="flex-end" className={classes["foot"]}>
          <Button type="submit" loading={test.isPending} disabled={!model}>
            {test.data ? <Trans>Test again</Trans> : <Trans>Run the test</Trans>}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Shows the result of a test. */
export function Result({ tested }: { tested: Schema<"ChannelTested"> }) {
  const { model, endpoint } = tested;
  const reason = wordOf(tested.error);
  return (
    <Stack gap="sm">
      <Alert
        color={tested.ok ? "green" : "red"}
        title={tested.ok ? t`The channel works` : t`The test failed: ${reason}`}
      >
        <DescriptionList
          items={[
            [
              t`Status`,
              tested.status > 0 ? (
                <Status key="status" value={tested.ok ? "ok" : "failed"}>
                  {tested.status}
                </Status>
              ) : (
                t`No response`
              ),
            ],
            [t`Model`, model],
            [t`Endpoint`, endpoint],
            [
              t`Credential`,
              tested.mask ? (
                <span key="mask" className="mono">
                  {tested.mask}
                </span>
              ) : (
                t`None`
              ),
            ],
          ]}
        />
      </Alert>
      <Timing connect={tested.connect_ms} firstByte={tested.first_byte_ms} total={tested.latency_ms} />
      {tested.detail && <CodeBlock code={tested.detail} label={t`Response of the upstream`} wrap />}
    </Stack>
  );
}
