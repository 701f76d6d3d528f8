import { Modal, PasswordInput, Select, Stack, Switch, TagsInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { FormButtons, FormError, useSubmit } from "@/components/form";
import { Copyable } from "@/components/values";

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
      issuer: (url) => (url.trim() ? null : "Enter the URL of the issuer."),
      client_id: (id) => (id.trim() ? null : "Enter the client id."),
      client_secret: (secret, values) => (secret || (issuer.issuer === values.issuer.trim() && issuer.client_id === values.client_id.trim()) ? null : "Enter the client secret."),
      domains: (domains) => (domains.length > 0 ? null : "Enter at least one domain."),
    },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ client_secret, ...values }: Values) =>
      ask(api.PUT("/api/tenant/issuer", { body: { ...values, issuer: values.issuer.trim(), client_id: values.client_id.trim(), ...(client_secret && { client_secret }) } })),
    done: async () => {
      await queryClient.invalidateQueries({ queryKey: ["tenant-issuer"] });
      close();
      notifications.show({ message: "The single sign-on is saved.", color: "green" });
    },
  });
  return (
    <Modal opened onClose={close} title="Single sign-on">
      <form onSubmit={submit} noValidate>
        <Stack>
          <FormError error={error} />
          <div>
            Register this redirect URI at the issuer:
            <Copyable value={issuer.redirect_uri} label="redirect URI" />
          </div>
          <TextInput label="Issuer" description="The URL in its discovery document." placeholder="https://login.example.com" maxLength={500} data-autofocus {...form.getInputProps("issuer")} />
          <TextInput label="Client id" maxLength={300} autoComplete="off" {...form.getInputProps("client_id")} />
          <PasswordInput label="Client secret" description={issuer.issuer && "Leave it empty to keep the present one."} maxLength={1000} autoComplete="new-password" {...form.getInputProps("client_secret")} />
          <TagsInput label="Domains" description="Of the e-mail addresses that may sign in." splitChars={[",", " "]} acceptValueOnBlur maxTags={20} {...form.getInputProps("domains")} />
          <Switch label="Make members at their first sign-in" {...form.getInputProps("create_members", { type: "checkbox" })} />
          {form.values.create_members && (
            <Select
              label="Role of new members"
              allowDeselect={false}
              data={[
                { value: "member", label: "Member" },
                { value: "admin", label: "Admin" },
              ]}
              {...form.getInputProps("default_role")}
            />
          )}
          <Switch
            label="Require it of all members but owners"
            description="They cannot sign in with passwords and passkeys then. Their present sessions end."
            {...form.getInputProps("enforced", { type: "checkbox" })}
          />
          <FormButtons cancel={close} pending={pending}>
            Save
          </FormButtons>
        </Stack>
      </form>
    </Modal>
  );
}
