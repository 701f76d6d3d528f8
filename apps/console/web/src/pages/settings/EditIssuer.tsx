import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { PasswordInput, Select, Stack, Switch, TagsInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { Modal } from "@/components/dialog";
import { FormButtons, FormError, useSubmit } from "@/components/form";
import { roleName } from "@/components/roles";
import { Copyable } from "@/components/values";

import { entriesOf, isEntry, requiredOf } from "./requiredClaims";

interface EditProps {
  /** The present issuer; its URL is empty if there is none. */
  issuer: Schema<"TenantIssuer">;
  close: () => void;
}

interface Values {
  issuer: string;
  client_id: string;
  client_secret: string;
  domains: string[];
  trust_email: boolean;
  required_claims: string[];
  enforced: boolean;
  create_members: boolean;
  default_role: "member" | "admin";
}

/** Returns the values of the form for the present issuer. */
function valuesOf(issuer: EditProps["issuer"]): Values {
  return {
    issuer: issuer.issuer,
    client_id: issuer.client_id,
    client_secret: "",
    domains: issuer.domains.map(({ domain }) => domain),
    trust_email: issuer.trust_email,
    required_claims: entriesOf(issuer.required_claims),
    enforced: issuer.enforced,
    create_members: issuer.create_members,
    default_role: issuer.default_role,
  };
}

/** Edits the OpenID Connect issuer of the tenant, for owners. */
export default function EditIssuer({ issuer, close }: EditProps) {
  const form = useForm<Values>({
    initialValues: valuesOf(issuer),
    validate: {
      issuer: (url) => (url.trim() ? null : t`Enter the issuer URL.`),
      client_id: (id) => (id.trim() ? null : t`Enter the client ID.`),
      client_secret: (secret, values) =>
        secret || (issuer.issuer === values.issuer.trim() && issuer.client_id === values.client_id.trim())
          ? null
          : t`Enter the client secret.`,
      domains: (domains) => (domains.length > 0 ? null : t`Enter at least one domain.`),
      required_claims: (claims) => (claims.every(isEntry) ? null : t`Enter each claim as claim=value.`),
    },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ client_secret, required_claims, ...values }: Values) =>
      ask(
        api.PUT("/api/tenant/issuer", {
          body: {
            ...values,
            issuer: values.issuer.trim(),
            client_id: values.client_id.trim(),
            required_claims: requiredOf(required_claims),
            ...(client_secret && { client_secret }),
          },
        }),
      ),
    done: async () => {
      await queryClient.invalidateQueries({ queryKey: ["tenant-issuer"] });
      close();
      notifications.show({ message: t`Single sign-on saved.`, color: "green" });
    },
  });
  return (
    <Modal opened onClose={close} title={t`Single sign-on`}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <FormError error={error} />
          <div>
            <Trans>Register this redirect URI with the identity provider:</Trans>
            <Copyable value={issuer.redirect_uri} label={t`redirect URI`} />
          </div>
          <TextInput
            label={t`Issuer URL`}
            withAsterisk
            description={t`As in the provider's discovery document.`}
            placeholder="https://login.example.com"
            maxLength={500}
            data-autofocus
            {...form.getInputProps("issuer")}
          />
          <TextInput
            label={t`Client ID`}
            withAsterisk
            maxLength={300}
            autoComplete="off"
            {...form.getInputProps("client_id")}
          />
          <PasswordInput
            label={t`Client secret`}
            description={issuer.issuer && t`Leave empty to keep the current secret.`}
            maxLength={1000}
            autoComplete="new-password"
            {...form.getInputProps("client_secret")}
          />
          <TagsInput
            label={t`Domains`}
            description={t`The domains of the email addresses that can sign in.`}
            splitChars={[",", " "]}
            acceptValueOnBlur
            maxTags={20}
            {...form.getInputProps("domains")}
          />
          <TagsInput
            label={t`Required claims`}
            description={t`Only accounts with these claims can sign in, for example hd=acme.example or groups=staff. Several values of a claim: one is enough. Sessions end when you change them.`}
            splitChars={[]}
            acceptValueOnBlur
            {...form.getInputProps("required_claims")}
          />
          <Switch
            label={t`Trust email addresses if the provider does not say whether they are verified`}
            description={t`Needed for Entra ID without the claim xms_edov. Turn it on only if members cannot choose their address at the provider.`}
            {...form.getInputProps("trust_email", { type: "checkbox" })}
          />
          <Switch
            label={t`Create members at their first sign-in`}
            {...form.getInputProps("create_members", { type: "checkbox" })}
          />
          {form.values.create_members && (
            <Select
              label={t`Role of new members`}
              allowDeselect={false}
              data={[
                { value: "member", label: roleName("member") },
                { value: "admin", label: roleName("admin") },
              ]}
              {...form.getInputProps("default_role")}
            />
          )}
          <Switch
            label={t`Require for all members except owners`}
            description={t`They can no longer sign in with passwords or passkeys. Their current sessions end.`}
            {...form.getInputProps("enforced", { type: "checkbox" })}
          />
          <FormButtons cancel={close} pending={pending}>
            <Trans>Save</Trans>
          </FormButtons>
        </Stack>
      </form>
    </Modal>
  );
}
