import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { MultiSelect, Select, Stack, TagsInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { ReactNode } from "react";

import { api, ask, type Schema } from "@/api/client";
import { findTokens, searchTenants, searchUsers } from "@/api/names";
import { type Identity, useIdentity } from "@/api/session";
import { changes } from "@/components/changes";
import { Modal } from "@/components/dialog";
import { FormButtons, FormError, useSubmit } from "@/components/form";
import { RemoteSelect } from "@/components/RemoteSelect";

import {
  kindLabel,
  kindsFor,
  type Kind,
  parseThresholds,
  type Period,
  periodChoices,
  type Rule,
  watched,
} from "./kinds";
import { refreshAlerts, useDestinations } from "./queries";

interface EditorProps {
  /** The rule, "new" for a new one, or undefined while the dialog is closed. */
  edited: Rule | "new" | undefined;
  close: () => void;
  operator: boolean;
}

/** Creates or edits a rule. What a rule watches cannot be changed. */
export function RuleEditor({ edited, close, operator }: EditorProps) {
  return (
    <Modal opened={edited !== undefined} onClose={close} title={edited === "new" ? t`Create a rule` : t`Edit the rule`}>
      {edited && <RuleForm rule={edited === "new" ? undefined : edited} close={close} operator={operator} />}
    </Modal>
  );
}

interface Values {
  name: string;
  kind: Kind;
  subject: "tenant" | "user" | "token";
  subject_id: string;
  period: Period;
  thresholds: string[];
  destinations: string[];
}

const initialThresholds = (kind: Kind) => (watched[kind].thresholds?.initial ?? []).map(String);

function valuesOf(rule: Rule | undefined): Values {
  return {
    name: rule?.name ?? "",
    kind: rule?.kind ?? "quota_used",
    subject: rule?.subject ?? "tenant",
    subject_id: rule?.subject_id ?? "",
    period: rule?.period ?? "lifetime",
    thresholds: rule ? rule.thresholds.map(String) : initialThresholds("quota_used"),
    destinations: rule?.destinations ?? [],
  };
}

/** Returns the body of a new rule. */
function newRule(values: Values): Schema<"NewAlertRule"> {
  const { name, kind, subject, subject_id, period, destinations } = values;
  const { quota } = watched[kind];
  return {
    name: name.trim(),
    kind,
    destinations,
    status: "enabled",
    thresholds: parseThresholds(kind, values.thresholds).values,
    period: quota && kind !== "unusual_spend" ? period : "lifetime",
    ...(quota && { subject, ...(subject_id && { subject_id }) }),
  };
}

/** Returns the fields of an existing rule that can be changed. */
const bodyOf = (values: Values) => ({
  name: values.name.trim(),
  destinations: values.destinations,
  thresholds: parseThresholds(values.kind, values.thresholds).values,
});

const save = (rule: Rule | undefined, values: Values) =>
  rule
    ? ask(
        api.PATCH("/api/alert-rules/{id}", {
          params: { path: { id: rule.id } },
          body: changes(bodyOf(valuesOf(rule)), bodyOf(values)),
        }),
      )
    : ask(api.POST("/api/alert-rules", { body: newRule(values) }));

function RuleForm({ rule, close, operator }: { rule: Rule | undefined; close: () => void; operator: boolean }) {
  const destinations = useDestinations();
  const form = useForm<Values>({
    initialValues: valuesOf(rule),
    validate: {
      name: (name) => (name.trim() ? null : t`Enter a name.`),
      thresholds: (typed, { kind }) => parseThresholds(kind, typed).fault,
    },
  });
  const { kind, subject } = form.values;
  const { help, quota, thresholds } = watched[kind];
  const { submit, pending, error } = useSubmit(form, {
    act: (values: Values) => save(rule, values),
    done: async () => {
      await refreshAlerts();
      close();
    },
  });
  const choose = (chosen: string | null) => {
    if (chosen) form.setValues({ kind: chosen as Kind, thresholds: initialThresholds(chosen as Kind) });
  };
  const own = operator ? t`Organization` : t`Your organization`;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <TextInput label={t`Name`} withAsterisk maxLength={200} data-autofocus {...form.getInputProps("name")} />
        <Select
          label={t`Watches`}
          description={i18n._(help)}
          allowDeselect={false}
          disabled={rule !== undefined}
          data={kindsFor(operator).map((value) => ({ value, label: kindLabel(value) }))}
          {...form.getInputProps("kind")}
          onChange={choose}
        />
        {quota && (
          <>
            <Select
              label={t`Of`}
              allowDeselect={false}
              disabled={rule !== undefined}
              data={[
                { value: "tenant", label: own },
                { value: "user", label: t`Users` },
                { value: "token", label: t`Tokens` },
              ]}
              {...form.getInputProps("subject")}
              onChange={(value) => form.setValues({ subject: value as Values["subject"], subject_id: "" })}
            />
            {(operator || subject !== "tenant") && (
              <SubjectSelect
                subject={subject}
                disabled={rule !== undefined}
                value={form.values.subject_id}
                onChange={(id) => form.setFieldValue("subject_id", id)}
                error={form.errors["subject_id"]}
              />
            )}
            {kind !== "unusual_spend" && (
              <Select
                label={t`Quota or budget`}
                allowDeselect={false}
                disabled={rule !== undefined}
                data={periodChoices()}
                {...form.getInputProps("period")}
              />
            )}
          </>
        )}
        {thresholds && (
          <TagsInput
            label={i18n._(thresholds.label)}
            withAsterisk
            splitChars={[",", " "]}
            acceptValueOnBlur
            maxTags={8}
            inputMode="numeric"
            {...form.getInputProps("thresholds")}
          />
        )}
        <MultiSelect
          label={t`Send to`}
          description={t`Without a destination, alerts appear in the history only.`}
          data={(destinations.data?.items ?? []).map(({ id, name, target }) => ({
            value: id,
            label: `${name} (${target})`,
          }))}
          maxValues={10}
          nothingFoundMessage={t`Create a destination first.`}
          {...form.getInputProps("destinations")}
        />
        <FormButtons cancel={close} pending={pending}>
          {rule ? <Trans>Save</Trans> : <Trans>Create</Trans>}
        </FormButtons>
      </Stack>
    </form>
  );
}

/** Finds tenants, users or tokens by a part of their name. */
const finders = {
  tenant: (_identity: Identity, text: string) => searchTenants(text),
  user: searchUsers,
  token: (_identity: Identity, text: string) => findTokens(text),
};

interface SubjectProps {
  subject: Values["subject"];
  disabled: boolean;
  /** The id of the only subject; "" for each one. */
  value: string;
  onChange: (id: string) => void;
  error: ReactNode;
}

/** Restricts a rule to one tenant, user or token. */
function SubjectSelect({ subject, disabled, value, onChange, error }: SubjectProps) {
  const identity = useIdentity();
  const placeholder = { tenant: t`Each organization`, user: t`Each user`, token: t`Each token` }[subject];
  return (
    <RemoteSelect
      kind={`alert-${subject}`}
      label={t`Only`}
      placeholder={placeholder}
      disabled={disabled}
      search={(text) => finders[subject](identity, text)}
      value={value || undefined}
      onChange={(id) => onChange(id ?? "")}
      error={error}
    />
  );
}
