import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Card, FileButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconFileUpload, IconPencil, IconRefresh, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useRef } from "react";

import { api, ask } from "@/api/client";
import { confirm } from "@/components/confirm";
import { DescriptionList } from "@/components/DescriptionList";
import { FormError } from "@/components/form";
import { ButtonLink } from "@/components/links";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { ErrorState, LoadingState } from "@/components/states";
import { Moment, Status } from "@/components/values";
import { channelsQuery } from "@/pages/operator/catalog/queries";

import { AccountEditor } from "./AccountEditor";
import { Comparison } from "./Comparison";
import { DayTable } from "./DayTable";
import { accountQuery, reread } from "./queries";
import { type Account, providerName } from "./reasons";

const route = getRouteApi("/signed-in/operator/supplier-invoices/$id");
const parentOf = () => ({ to: "/operator/supplier-invoices", label: t`Supplier invoices` });

/** Shows a billing account with its days, or one of its days by model and key. */
export function SupplierAccount() {
  const { id } = route.useParams();
  const { day } = route.useSearch();
  const query = useQuery(accountQuery(id));
  if (query.data && day) return <Comparison account={query.data} day={day} />;
  if (query.data) return <Shown key={query.data.id} account={query.data} />;
  return (
    <Page title={t`Billing account`} parent={parentOf()}>
      {query.error ? <ErrorState error={query.error} retry={() => void query.refetch()} /> : <LoadingState />}
    </Page>
  );
}

function Shown({ account }: { account: Account }) {
  const [editing, edit] = useDisclosure();
  const channels = useQuery(channelsQuery);
  const path = { id: account.id };
  const keys = account.keys.length;
  const reset = useRef<() => void>(null);
  const fetchNow = useMutation({
    mutationFn: () => ask(api.POST("/api/operator/billing-accounts/{id}/fetch", { params: { path } })),
    onSuccess: async () => {
      await reread();
      notifications.show({ message: t`A worker compares the account within minutes.`, color: "green" });
    },
  });
  const upload = useMutation({
    mutationFn: async (file: File) =>
      ask(
        api.POST("/api/operator/billing-accounts/{id}/charges", { params: { path }, body: { csv: await file.text() } }),
      ),
    onSettled: () => reset.current?.(), // the same file can be chosen again
    onSuccess: async ({ days }) => {
      await reread();
      notifications.show({
        message: plural(days, {
          one: "Charges of # day stored. They are compared within minutes.",
          other: "Charges of # days stored. They are compared within minutes.",
        }),
        color: "green",
      });
    },
  });
  const nameOf = (id: string) => channels.data?.items.find((channel) => channel.id === id)?.name ?? id.slice(-8);
  return (
    <Page
      wide
      title={account.name}
      parent={parentOf()}
      aside={<Status value={account.status} />}
      actions={
        <>
          <ButtonLink variant="default" to="/operator/audit-log" search={{ target: account.id }}>
            <Trans>Audit log</Trans>
          </ButtonLink>
          <Remove account={account} />
          <Button variant="default" leftSection={<IconPencil size={16} />} onClick={edit.open}>
            <Trans>Edit</Trans>
          </Button>
          {account.provider === "csv" ? (
            <FileButton accept=".csv,text/csv" resetRef={reset} onChange={(file) => file && upload.mutate(file)}>
              {(props) => (
                <Button leftSection={<IconFileUpload size={16} />} loading={upload.isPending} {...props}>
                  <Trans>Upload CSV</Trans>
                </Button>
              )}
            </FileButton>
          ) : (
            <Button
              leftSection={<IconRefresh size={16} />}
              loading={fetchNow.isPending}
              onClick={() => fetchNow.mutate()}
            >
              <Trans>Fetch now</Trans>
            </Button>
          )}
        </>
      }
    >
      <FormError error={upload.error ?? fetchNow.error} />
      {account.error && (
        <Alert color="red" title={t`The last fetch failed`}>
          {account.error}
        </Alert>
      )}
      <Card>
        <DescriptionList
          items={[
            [t`Provider`, providerName(account.provider)],
            [t`Channels`, account.channels.map(nameOf).join(", ") || t`None: every charge counts as a difference`],
            [
              t`API keys`,
              plural(keys, {
                0: "None: compared by model only",
                one: "# key, compared separately",
                other: "# keys, compared separately",
              }),
            ],
            ...(account.provider === "csv"
              ? []
              : ([
                  [
                    t`Billing credential`,
                    account.has_credential ? t`Stored; only workers can read it` : t`None: nothing is fetched`,
                  ],
                ] as [string, string][])),
            [t`Last report`, <Moment key="fetched" at={account.fetched_at} />],
            [t`Next comparison`, <Moment key="due" at={account.due_at} clock />],
          ]}
        />
      </Card>
      <Section
        title={t`Days`}
        description={t`The difference is what the provider charged minus the supplier cost of the usage logs.`}
      >
        <DayTable accountId={account.id} />
      </Section>
      <AccountEditor opened={editing} close={edit.close} account={account} />
    </Page>
  );
}

function Remove({ account }: { account: Account }) {
  const navigate = useNavigate();
  const { name } = account;
  const remove = () =>
    confirm({
      title: t`Delete ${name}?`,
      confirm: t`Delete`,
      children: t`Its credential, charges and comparisons are deleted. Usage logs are kept.`,
      act: async () => {
        await ask(api.DELETE("/api/operator/billing-accounts/{id}", { params: { path: { id: account.id } } }));
        await navigate({ to: "/operator/supplier-invoices" });
        await reread();
      },
    });
  return (
    <Button variant="default" leftSection={<IconTrash size={16} />} onClick={remove}>
      <Trans>Delete</Trans>
    </Button>
  );
}
