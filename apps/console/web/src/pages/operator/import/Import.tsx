import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Card, FileButton, Group, Progress, Stack, Text, Textarea } from "@mantine/core";
import { IconFileUpload } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { api, ask } from "@/api/client";
import { refreshNames } from "@/api/names";
import { confirm } from "@/components/confirm";
import { FormError } from "@/components/form";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { useUnsaved } from "@/components/unsaved";
import { showBytes } from "@/format/number";
import { isOver, useJob } from "@/pages/operator/catalog/useJob";

import { maxBytes, startOf } from "./manifest";
import { Earlier } from "./Earlier";
import classes from "./Import.module.css";
import { Result } from "./Result";
import { takeTokens } from "./Tokens";

interface Asked {
  id: string;
  manifest: string;
  apply: boolean;
}

/** Previews the import of a manifest, then applies it. */
export function Import() {
  const [text, setText] = useState("");
  const [asked, setAsked] = useState<Asked>();
  const editor = useRef<HTMLTextAreaElement>(null);
  const client = useQueryClient();
  const job = useJob(asked?.id);
  const over = job.data !== undefined && isOver(job.data);
  const start = useMutation({
    mutationFn: async (apply: boolean) => ({
      id: (await ask(api.POST("/api/operator/jobs/catalogue-import", { body: { catalogue: text, apply } }))).id,
      manifest: text,
      apply,
    }),
    onSuccess: (next) => {
      setAsked(next);
      void client.invalidateQueries({ queryKey: ["jobs", "list"] });
    },
  });
  useEffect(() => {
    // An applied manifest can change the catalog, tenants, users and tokens, so all lists of the operator are reread.
    if (over && asked?.apply) {
      for (const list of ["operator", "tenants", "grants", "users", "tokens"])
        void client.invalidateQueries({ queryKey: [list] });
      void refreshNames();
    }
    if (over) void client.invalidateQueries({ queryKey: ["jobs", "list"] });
  }, [over, asked, client]);
  const result = over ? job.data?.result?.catalogue_import : undefined;
  // A manifest can be applied after a preview of exactly this text that found changes and no faults.
  const ready =
    result !== undefined &&
    !result.applied &&
    result.faults.length === 0 &&
    result.changes > 0 &&
    asked?.manifest === text;
  useUnsaved({ isDirty: () => text.trim() !== "" && !(result?.applied && asked?.manifest === text) });
  const busy = start.isPending || (asked !== undefined && !over && !job.error);
  const size = new Blob([text]).size;
  const most = showBytes(maxBytes);
  const goTo = (line: number) => {
    const at = startOf(text, line);
    editor.current?.focus();
    editor.current?.setSelectionRange(at, Math.max(at, text.indexOf("\n", at)));
  };
  return (
    <Page
      title={t`Import`}
      description={t`Create or change groups, models, prices, channels, tenants, users and tokens with a manifest file. Preview it first. What the manifest doesn’t name stays as it is.`}
    >
      <Card>
        <Stack gap="sm">
          <Textarea
            ref={editor}
            label={t`Manifest`}
            description={t`YAML, in the format of the manifest file. References such as ${variable} are not allowed here: enter the values.`}
            placeholder={example}
            autosize
            minRows={12}
            maxRows={28}
            spellCheck={false}
            classNames={{ input: classes["editor"] }}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={size > maxBytes && t`A manifest can have up to ${most}.`}
          />
          <Group justify="space-between" gap="xs">
            <ChooseFile choose={setText} />
            <Group gap="xs">
              <Text size="sm" c="dimmed">
                {text && showBytes(size)}
              </Text>
              <Button
                variant={ready ? "default" : "filled"}
                disabled={!text.trim() || size > maxBytes}
                loading={busy && !asked?.apply}
                onClick={() => start.mutate(false)}
              >
                <Trans>Preview</Trans>
              </Button>
              {ready && (
                <Button onClick={() => askToApply(() => start.mutateAsync(true))}>
                  <Trans>Apply</Trans>
                </Button>
              )}
            </Group>
          </Group>
          <FormError error={start.error ?? job.error} />
        </Stack>
      </Card>
      <Stack aria-live="polite">
        {busy && asked && (
          <Progress
            value={100}
            animated
            aria-label={asked.apply ? t`Applying the manifest` : t`Checking the manifest`}
          />
        )}
        {over && job.data?.error && <Alert color="red">{job.data.error.message}</Alert>}
        {result && asked && <Result result={result} manifest={asked.manifest} goTo={goTo} />}
        {over && job.data?.tokens && (
          <Button w="fit-content" onClick={() => takeTokens(asked?.id ?? "")}>
            <Trans>Show the created tokens</Trans>
          </Button>
        )}
      </Stack>
      <Section title={t`Earlier imports`} description={t`Kept for a week.`}>
        <Earlier />
      </Section>
    </Page>
  );
}

/** A reference to a variable, which only the manifest file of an installation can have. */
const variable = "${NAME}";

const example = `models:
  - id: gpt-4o-mini
    owned_by: openai
    price: {input: "0.15", cached_input: "0.075", output: "0.60"}`;

function askToApply(act: () => Promise<unknown>) {
  confirm({
    title: t`Apply the manifest?`,
    children: t`The changes in the preview are made. Prices and rules that differ get a new version that takes effect at once. To undo this, apply another manifest.`,
    confirm: t`Apply`,
    harmless: true,
    act,
  });
}

function ChooseFile({ choose }: { choose: (text: string) => void }) {
  const reset = useRef<() => void>(null);
  const [refused, setRefused] = useState<string>();
  const read = async (file: File | null) => {
    if (!file) return;
    const { name } = file;
    const most = showBytes(maxBytes);
    if (file.size > maxBytes) return setRefused(t`${name} is too large. A manifest can have up to ${most}.`);
    setRefused(undefined);
    choose(await file.text());
  };
  const chosen = (file: File | null) => {
    void read(file);
    reset.current?.(); // the same file can be chosen again
  };
  return (
    <Group gap="xs">
      <FileButton onChange={chosen} resetRef={reset} accept=".yaml,.yml,text/yaml,application/yaml">
        {(props) => (
          <Button {...props} variant="default" leftSection={<IconFileUpload size={16} />}>
            <Trans>Choose a file</Trans>
          </Button>
        )}
      </FileButton>
      {refused && (
        <Text size="sm" c="var(--tollgate-bad)" role="alert">
          {refused}
        </Text>
      )}
    </Group>
  );
}
