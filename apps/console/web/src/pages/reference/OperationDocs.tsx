import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Accordion, Stack, Tabs, Text, Title } from "@mantine/core";
import { useState } from "react";

import { Section } from "@/components/Section";

import { useDocument } from "./document";
import { type Answer, type Endpoint, type Media, type Parameter, resolve } from "./openapi";
import { Prose } from "./Prose";
import classes from "./Reference.module.css";
import { Field, SchemaView } from "./SchemaView";

/** Shows the parameters, the body and the answers of an operation. */
export function OperationDocs({
  endpoint: { operation },
  parameters,
}: {
  endpoint: Endpoint;
  parameters: Parameter[];
}) {
  return (
    <Stack gap="xl">
      {parameters.length > 0 && (
        <Section title={t`Parameters`}>
          <ul className={classes["fields"]}>
            {parameters.map(({ name, in: place, description, required, schema }) => (
              <Field
                key={`${place} ${name}`}
                name={name}
                schema={schema ?? {}}
                required={required ?? false}
                description={description}
                place={place}
              />
            ))}
          </ul>
        </Section>
      )}
      {operation.requestBody && (
        <Section title={t`Body`} description={operation.requestBody.description}>
          <Contents content={operation.requestBody.content} />
        </Section>
      )}
      <Section title={t`Responses`}>
        <Answers responses={operation.responses} />
      </Section>
    </Stack>
  );
}

/** Shows the answers by status. The first one is open; the others are rendered when they are opened. */
function Answers({ responses }: { responses: Endpoint["operation"]["responses"] }) {
  const document = useDocument();
  const all = Object.entries(responses).map(([status, answer]) => ({
    status,
    answer: resolve<Answer>(document, answer),
  }));
  const [open, setOpen] = useState(all.slice(0, 1).map(({ status }) => status));
  return (
    <Accordion multiple value={open} onChange={setOpen} order={3} variant="separated" radius="md">
      {all.map(({ status, answer }) => (
        <Accordion.Item key={status} value={status}>
          <Accordion.Control>
            <span className={classes["status"]} data-good={status.startsWith("2") || undefined}>
              {status}
            </span>{" "}
            <Text span size="sm">
              <Prose text={answer.description} />
            </Text>
          </Accordion.Control>
          <Accordion.Panel>{open.includes(status) && <AnswerView answer={answer} />}</Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function AnswerView({ answer }: { answer: Answer }) {
  const document = useDocument();
  const headers = Object.entries(answer.headers ?? {});
  return (
    <Stack gap="md">
      {answer.content && <Contents content={answer.content} />}
      {headers.length > 0 && (
        <div>
          <Title order={4} size="h3">
            <Trans>Response headers</Trans>
          </Title>
          <ul className={classes["fields"]}>
            {headers.map(([name, header]) => {
              const { schema, description } = resolve(document, header);
              return <Field key={name} name={name} schema={schema ?? {}} description={description} />;
            })}
          </ul>
        </div>
      )}
    </Stack>
  );
}

/** Shows a body for each of its content types. */
function Contents({ content }: { content: Record<string, Media> }) {
  const [first, ...others] = Object.entries(content);
  if (!first) return null;
  if (others.length === 0) return <SchemaView schema={first[1].schema ?? {}} />;
  return (
    <Tabs defaultValue={first[0]}>
      <Tabs.List mb="sm">
        {[first, ...others].map(([type]) => (
          <Tabs.Tab key={type} value={type}>
            {type}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {[first, ...others].map(([type, media]) => (
        <Tabs.Panel key={type} value={type}>
          {type === "text/event-stream" && (
            <Text size="sm" c="dimmed" mb="xs">
              <Trans>The data of each event of the stream is a JSON object:</Trans>
            </Text>
          )}
          <SchemaView schema={media.schema ?? {}} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
