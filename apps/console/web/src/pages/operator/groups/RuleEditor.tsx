import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group as Row, Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { Drawer } from "@/components/dialog";
import { AmountInput, amountFault, applyProblem, FormError, isAmount } from "@/components/form";
import { SegmentedControl } from "@/components/SegmentedControl";
import { useUnsaved } from "@/components/unsaved";
import { showDateTime } from "@/format/time";
import { coversAny } from "@/pages/operator/catalog/patterns";
import { modelsQuery, type Group } from "@/pages/operator/catalog/queries";
import { isMultiplier, multiplierMeans } from "@/pages/operator/catalog/rates";
import { Simulation } from "@/pages/operator/catalog/Simulation";
import { momentOf, whenFault } from "@/pages/operator/catalog/when";
import { WhenField } from "@/pages/operator/catalog/WhenField";

import type { RuleTerms } from "./rules";

interface RuleEditorProps {
  opened: boolean;
  close: () => void;
  group: Group;
  /** What the form shows when it opens. */
  from: RuleTerms;
}

/** Shows the form of a group's next price rule. */
export function RuleEditor({ opened, close, group, from }: RuleEditorProps) {
  const { name } = group;
  return (
    <Drawer
      opened={opened}
      onClose={close}
      size={620}
      title={t`What ${name} pays`}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <Form close={close} group={group} from={from} />
    </Drawer>
  );
}

interface Values {
  model: string;
  kind: "multiplier" | "fixed";
  multiplier: string;
  fixed: string;
  effective_from: string | null;
}

function Form({ close, group, from }: Omit<RuleEditorProps, "opened">) {
  const initialValues: Values = {
    model: from.model,
    kind: from.fixed === null ? "multiplier" : "fixed",
    multiplier: from.multiplier,
    fixed: from.fixed ?? "",
    effective_from: null,
  };
  const form = useForm({
    initialValues,
    validate: {
      multiplier: (text, { kind }) =>
        kind === "fixed" || isMultiplier(text) ? null : t`Enter a decimal, such as 1 or 0.85.`,
      fixed: (text, { kind }) => (kind === "fixed" ? amountFault(text, true) : null),
      effective_from: (when) => whenFault(when),
    },
  });
  useUnsaved(form);
  const [problem, setProblem] = useState<unknown>();
  const save = useSave(group, close);
  const { values } = form;
  const proposal = proposalOf(group, values);
  const submit = form.onSubmit((sent) => {
    setProblem(undefined);
    save.mutate(sent, { onError: (error) => setProblem(applyProblem(form, error)) });
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <FormError error={problem} />
        <ModelChoice group={group} value={values.model} onChange={(id) => form.setFieldValue("model", id)} />
        <Stack gap={6} align="flex-start">
          <Text size="sm" fw={500} id="kind">
            <Trans>What its users pay</Trans>
          </Text>
          <SegmentedControl
            aria-labelledby="kind"
            size="sm"
            data={[
              { value: "multiplier", label: t`Multiple of the price` },
              { value: "fixed", label: t`Fixed price per request` },
            ]}
            {...form.getInputProps("kind")}
          />
          {values.kind === "multiplier" ? (
            <TextInput
              aria-label={t`Multiplier`}
              inputMode="decimal"
              leftSection="×"
              description={
                isMultiplier(values.multiplier)
                  ? multiplierMeans(values.multiplier.trim())
                  : t`Applies to the model’s price`
              }
              {...form.getInputProps("multiplier")}
            />
          ) : (
            <AmountInput
              aria-label={t`Price per request`}
              description={t`Each request costs the same, regardless of its tokens`}
              {...form.getInputProps("fixed")}
            />
          )}
        </Stack>
        <WhenField
          value={values.effective_from}
          onChange={(when) => form.setFieldValue("effective_from", when)}
          error={form.errors["effective_from"]}
        />
        <Simulation proposal={proposal ? { rule: proposal } : {}} disabled={!proposal} />
        <Row justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={save.isPending}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={save.isPending}>
            {values.effective_from === null ? t`Add the rule now` : t`Schedule the rule`}
          </Button>
        </Row>
      </Stack>
    </form>
  );
}

function ModelChoice({ group, value, onChange }: { group: Group; value: string; onChange: (id: string) => void }) {
  const models = useQuery(modelsQuery);
  const ids = models.data?.items.map(({ id }) => id) ?? [];
  const hidden = value !== "" && !coversAny(group.models, value);
  return (
    <Select
      label={t`Models`}
      description={
        hidden
          ? t`The group doesn’t allow this model yet, so the rule has no effect.`
          : t`A rule for one model takes precedence over the rule for all models.`
      }
      searchable
      limit={100}
      allowDeselect={false}
      data={[{ value: "", label: t`All models without their own rule` }, ...ids]}
      value={value}
      onChange={(id) => onChange(id ?? "")}
      nothingFoundMessage={t`No matching models`}
    />
  );
}

/** Returns the rule in the form as the API's body; undefined while the form is not valid. */
function proposalOf(
  group: Group,
  { model, kind, multiplier, fixed }: Values,
): Omit<Schema<"NewRule">, "effective_from"> | undefined {
  if (kind === "fixed" ? !isAmount(fixed) : !isMultiplier(multiplier)) return undefined;
  return {
    group_id: group.id,
    ...(model && { model }),
    ...(kind === "fixed" ? { fixed: fixed.trim() } : { multiplier: multiplier.trim() }),
  };
}

function useSave(group: Group, close: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (values: Values) => {
      const effective_from = momentOf(values.effective_from);
      return ask(
        api.POST("/api/operator/group-rules", {
          body: { group_id: group.id, ...proposalOf(group, values), ...(effective_from && { effective_from }) },
        }),
      );
    },
    onSuccess: async (rule, { effective_from }) => {
      await client.invalidateQueries({ queryKey: ["operator"] });
      close();
      const { name } = group;
      const moment = showDateTime(rule.effective_from);
      notifications.show({
        color: "green",
        message:
          effective_from === null ? t`New rule of ${name} saved.` : t`New rule of ${name} scheduled for ${moment}.`,
      });
    },
  });
}
