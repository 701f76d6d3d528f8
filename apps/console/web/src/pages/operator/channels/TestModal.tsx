import { Alert, Button, Group, Modal, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { CodeBlock } from "@/components/CodeBlock";
import { DescriptionList } from "@/components/DescriptionList";
import { FormError } from "@/components/form";
import { Status } from "@/components/values";
import { channelHealthQuery, type Channel } from "@/pages/operator/catalog/queries";

import { wordOf } from "./health";
import { Timing } from "./Timing";

interface TestModalProps {
  opened: boolean;
  close: () => void;
  channel: Channel;
}

/** Tests a channel with a real call of a few tokens. */
export function TestModal({ opened, close, channel }: TestModalProps) {
  return (
    <Modal opened={opened} onClose={close} title={`Test ${channel.name}`} size={560} closeButtonProps={{ "aria-label": "Close" }}>
      <Test channel={channel} />
    </Modal>
  );
}

const sides = [{ value: "", label: "The one that suits" }, { value: "chat", label: "Chat" }, { value: "responses", label: "Responses" }];

function Test({ channel }: { channel: Channel }) {
  const models = Object.keys(channel.models).sort();
  const health = useQuery(channelHealthQuery(channel.id));
  const [model, setModel] = useState(models[0] ?? null);
  const [endpoint, setEndpoint] = useState("");
  const [fingerprint, setFingerprint] = useState("");
  const test = useMutation({
    mutationFn: () => {
      const body: Schema<"ChannelTest"> = { ...(model && { model }), ...((endpoint === "chat" || endpoint === "responses") && { endpoint }), ...(fingerprint && { fingerprint }) };
      return ask(api.POST("/api/operator/channels/{id}/test", { params: { path: { id: channel.id } }, body }));
    },
  });
  const credentials = health.data?.credentials.filter((credential) => credential.fingerprint) ?? [];
  return (
    <form onSubmit={(event) => { event.preventDefault(); test.mutate(); }}>
      <Stack>
        <Text c="dimmed">A real call of a few tokens, from this console. It is not metered, and relays learn nothing of it.</Text>
        <Select label="Model" data={models} value={model} onChange={setModel} allowDeselect={false} searchable={models.length > 8} limit={100} data-autofocus />
        <Group grow>
          <Select label="Endpoint" data={sides} value={endpoint} onChange={(word) => setEndpoint(word ?? "")} allowDeselect={false} />
          {credentials.length > 1 && (
            <Select
              label="Credential" data={[{ value: "", label: "The first enabled one" }, ...credentials.map((credential) => ({ value: credential.fingerprint, label: credential.mask }))]}
              value={fingerprint} onChange={(name) => setFingerprint(name ?? "")} allowDeselect={false}
            />
          )}
        </Group>
        <FormError error={test.error} />
        <div aria-live="polite">{test.data && !test.isPending && <Result tested={test.data} />}</div>
        <Group justify="flex-end">
          <Button type="submit" loading={test.isPending} disabled={!model}>
            {test.data ? "Test again" : "Run the test"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Result({ tested }: { tested: Schema<"ChannelTested"> }) {
  return (
    <Stack gap="sm">
      <Alert color={tested.ok ? "green" : "red"} title={tested.ok ? "The channel answers" : `The test failed: ${wordOf(tested.error)}`}>
        <DescriptionList
          items={[
            ["Status", tested.status > 0 ? <Status key="status" value={tested.ok ? "ok" : "failed"}>{tested.status}</Status> : "No answer"],
            ["Asked for", `${tested.model} by ${tested.endpoint}`],
            ["Credential", tested.mask ? <span key="mask" className="mono">{tested.mask}</span> : "None"],
          ]}
        />
      </Alert>
      <Timing connect={tested.connect_ms} firstByte={tested.first_byte_ms} total={tested.latency_ms} />
      {tested.detail && <CodeBlock code={tested.detail} label="What the upstream said" wrap />}
    </Stack>
  );
}
