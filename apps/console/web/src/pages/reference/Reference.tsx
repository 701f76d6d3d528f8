import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Box, Button, Group, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";

import { platformQuery, useRelayBase } from "@/api/platform";
import { CodeBlock } from "@/components/CodeBlock";
import { Section } from "@/components/Section";
import { ErrorState, LoadingState } from "@/components/states";
import { Markdown } from "@/pages/playground/Markdown";
import { Logo } from "@/shell/Logo";

import { DocumentContext, documentQuery, useDocument } from "./document";
import { type Endpoint, groupsOf, resolve } from "./openapi";
import { OperationDocs } from "./OperationDocs";
import classes from "./Reference.module.css";
import { type Relay, Runner } from "./Runner";

const route = getRouteApi("/reference/{-$operation}");

/**
 * The reference of the relay's API. It needs no session. Only this page may connect to the relay, so links to it and
 * from it load a new document.
 */
export function Reference() {
  const document = useQuery(documentQuery);
  const platform = useQuery(platformQuery);
  const failed = [document, platform].find(({ error }) => error);
  return (
    <>
      <header className={classes["header"]}>
        <Anchor href="/" underline="never" c="inherit" aria-label={t`Tollgate, console`}>
          <Logo />
        </Anchor>
        <Group gap="md" wrap="nowrap">
          <Anchor href="/reference/openapi.json" size="sm">
            {/* not translated: the name of a format */}
            OpenAPI
          </Anchor>
          <Button component="a" href="/" variant="default" size="xs">
            <Trans>Console</Trans>
          </Button>
        </Group>
      </header>
      {document.data && platform.data ? (
        <DocumentContext value={document.data}>
          <Content />
        </DocumentContext>
      ) : (
        <main>
          {failed ? <ErrorState error={failed.error} retry={() => void failed.refetch()} /> : <LoadingState />}
        </main>
      )}
    </>
  );
}

type OperationGroup = ReturnType<typeof groupsOf>[number];

function Content() {
  const document = useDocument();
  const groups = useMemo(() => groupsOf(document), [document]);
  const { operation } = route.useParams();
  const [token, setToken] = useState("");
  const { base, known } = useRelayBase();
  const relay = { base: base.slice(0, -"/v1".length), known };
  const endpoint = groups.flatMap(({ endpoints }) => endpoints).find(({ id }) => id === operation);
  return (
    <Box className={classes["layout"]}>
      <Navigation groups={groups} selected={endpoint?.id} />
      <main className={classes["main"]}>
        {endpoint ? (
          <OperationPage key={endpoint.id} endpoint={endpoint} relay={relay} token={token} onToken={setToken} />
        ) : (
          <Introduction groups={groups} base={base} />
        )}
      </main>
    </Box>
  );
}

/** The list of operations: a column next to the page, and on small screens a select above it. */
function Navigation({ groups, selected }: { groups: OperationGroup[]; selected: string | undefined }) {
  const navigate = useNavigate();
  return (
    <nav aria-label={t`Operations`} className={classes["navigation"]}>
      <NativeSelect
        hiddenFrom="md"
        aria-label={t`Operation`}
        value={selected ?? ""}
        onChange={(event) =>
          void navigate({
            to: "/reference/{-$operation}",
            params: { operation: event.currentTarget.value || undefined },
          })
        }
        data={[
          { label: t`Introduction`, value: "" },
          ...groups.map(({ name, endpoints }) => ({
            group: name,
            items: endpoints.map(({ id, title }) => ({ label: title, value: id })),
          })),
        ]}
      />
      <Box visibleFrom="md">
        <OperationLink id={undefined} title={t`Introduction`} selected={selected} />
        {groups.map(({ name, endpoints }) => (
          <div key={name} className={classes["group"]}>
            <div className={classes["groupLabel"]}>{name}</div>
            {endpoints.map(({ id, title, method }) => (
              <OperationLink key={id} id={id} title={title} method={method} selected={selected} />
            ))}
          </div>
        ))}
      </Box>
    </nav>
  );
}

function OperationLink({
  id,
  title,
  method,
  selected,
}: {
  id: string | undefined;
  title: string;
  method?: string;
  selected: string | undefined;
}) {
  return (
    <Link
      to="/reference/{-$operation}"
      params={{ operation: id }}
      className={classes["link"]}
      data-active={id === selected || undefined}
      aria-current={id === selected ? "page" : undefined}
    >
      <span>{title}</span>
      {method && <Method method={method} />}
    </Link>
  );
}

const Method = ({ method }: { method: string }) => (
  <span className={classes["method"]} data-method={method}>
    {method === "DELETE" ? "DEL" : method}
  </span>
);

function Introduction({ groups, base }: { groups: OperationGroup[]; base: string }) {
  const { info } = useDocument();
  const heading = t`API reference`;
  useDocumentTitle(`${heading} · Tollgate`);
  return (
    <Stack gap="xl" maw={760}>
      <Title order={1}>{heading}</Title>
      {info.description && <Markdown text={info.description} />}
      <Section title={t`Base URL`} description={t`OpenAI's SDKs work with this URL and a token.`}>
        <CodeBlock code={base} label={t`base URL`} />
      </Section>
      <Section
        title={t`Operations`}
        description={t`Each operation has a form that sends it with your token, and example code in four languages.`}
      >
        <Stack gap="lg">
          {groups.map(({ name, endpoints }) => (
            <div key={name}>
              <Title order={3} mb={4}>
                {name}
              </Title>
              <ul className={classes["fields"]}>
                {endpoints.map(({ id, title, method, path }) => (
                  <li key={id} className={classes["field"]}>
                    <Link to="/reference/{-$operation}" params={{ operation: id }} className={classes["entry"]}>
                      {title}
                    </Link>
                    <div className={classes["path"]}>
                      <Method method={method} /> {path}
                    </div>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </Stack>
      </Section>
    </Stack>
  );
}

function OperationPage({
  endpoint,
  ...runner
}: {
  endpoint: Endpoint;
  relay: Relay;
  token: string;
  onToken: (token: string) => void;
}) {
  const document = useDocument();
  const { title, method, path, operation } = endpoint;
  const reference = t`API reference`;
  useDocumentTitle(`${title} · ${reference} · Tollgate`);
  const parameters = useMemo(
    () => (operation.parameters ?? []).map((parameter) => resolve(document, parameter)),
    [document, operation],
  );
  return (
    <div className={classes["columns"]}>
      <Stack gap="xl" miw={0}>
        <Stack gap="xs">
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <Title order={1}>{title}</Title>
            <Button component="a" href="#try-it" size="xs" className={classes["jump"]}>
              <Trans>Try it</Trans>
            </Button>
          </Group>
          <div className={classes["path"]}>
            <Method method={method} /> {path}
          </div>
          {operation.deprecated && (
            <Text c="dimmed">
              <Trans>This operation is deprecated.</Trans>
            </Text>
          )}
          {operation.description && <Markdown text={operation.description} />}
        </Stack>
        <OperationDocs endpoint={endpoint} parameters={parameters} />
      </Stack>
      <Runner endpoint={endpoint} parameters={parameters} {...runner} />
    </div>
  );
}
