import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import {
  Alert,
  Anchor,
  Button,
  Group,
  NativeSelect,
  PasswordInput,
  Stack,
  Tabs,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useId, useMemo, useRef, useState } from "react";

import { messageOf } from "@/api/problem";
import { CodeBlock } from "@/components/CodeBlock";
import { type Language, languageNames, languages } from "@/components/snippets";
import { parse, record } from "@/pages/playground/json";

import { useDocument } from "./document";
import { type Endpoint, type Parameter, shapeOf } from "./openapi";
import classes from "./Reference.module.css";
import { type Call, callOf, codeOf } from "./request";
import { ResultView } from "./ResultView";
import { modelsOf, type Result, run, unreachable } from "./run";
import { type Example, examplesOf, withModel } from "./sample";

/** The relay's address without /v1; `known` is false if it is a placeholder. */
export interface Relay {
  base: string;
  known: boolean;
}

interface RunnerProps {
  endpoint: Endpoint;
  parameters: Parameter[];
  relay: Relay;
  token: string;
  onToken: (token: string) => void;
}

/** Lets the reader put a call together, send it with their token, and copy its code. */
export function Runner({ endpoint, parameters, relay, token, onToken }: RunnerProps) {
  const document = useDocument();
  const examples = useMemo(() => examplesOf(document, endpoint.operation), [document, endpoint]);
  const [body, setBody] = useState(() => textOf(examples[0]));
  const [values, setValues] = useState<Record<string, string>>({});
  const [typed, setTyped] = useState(token);
  const heading = useId();
  const models = useModels(relay, token);
  const model = record(parse(body ?? ""))["model"];
  // The model of an example may be one that the token cannot use.
  const first = models.data?.[0];
  const unusable = typeof model === "string" && models.data?.includes(model) === false;
  useEffect(() => {
    if (unusable && first) setBody((old) => old && withModel(old, first));
  }, [unusable, first]);
  const inputs = (which: Parameter[]) =>
    which.map((parameter) => (
      <ParameterInput
        key={parameter.name}
        parameter={parameter}
        value={values[parameter.name] ?? ""}
        onValue={(value) => setValues({ ...values, [parameter.name]: value })}
      />
    ));
  const call = callOf(relay.base, { endpoint, parameters, values, body });
  const { send, stop, result, fault, running } = useRun(call);
  const enter = () => onToken(typed.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enter();
    send(typed.trim());
  };
  return (
    <section id="try-it" aria-labelledby={heading} className={classes["runner"]}>
      <Title order={2} id={heading}>
        <Trans>Try it</Trans>
      </Title>
      <form onSubmit={submit}>
        <Stack gap="sm">
          {relay.known ? (
            <TokenInput typed={typed} onTyped={setTyped} onEnter={enter} error={models.error} />
          ) : (
            <Alert>
              <Trans>
                The console doesn't know the address of the relay (TOLLGATE_RELAY_URL), so this page can't send
                requests.
              </Trans>
            </Alert>
          )}
          {inputs(parameters.filter(({ in: place }) => place !== "header"))}
          {body !== undefined && (
            <BodyInput body={body} onBody={setBody} examples={examples} models={models.data} model={model} />
          )}
          {inputs(parameters.filter(({ in: place }) => place === "header"))}
          <Group gap="sm">
            {running ? (
              <Button variant="default" onClick={stop}>
                <Trans>Stop</Trans>
              </Button>
            ) : (
              // The press must not take the focus from the token's field: what is known of the token then would move
              // the button from under the pointer, and the click would be lost.
              <Button type="submit" disabled={!relay.known} onMouseDown={(event) => event.preventDefault()}>
                <Trans>Send request</Trans>
              </Button>
            )}
            <Text size="xs" c="dimmed" className={classes["hint"]}>
              <Trans>Charged like any other request with this token.</Trans>
            </Text>
          </Group>
        </Stack>
      </form>
      {fault !== undefined && (
        <Alert color="red" role="alert">
          {fault instanceof TypeError ? unreachable(relay.base) : messageOf(fault)}
        </Alert>
      )}
      {result && <ResultView result={result} />}
      <Code call={call} />
    </section>
  );
}

const textOf = (example: Example | undefined) => example && JSON.stringify(example.value, null, 2);

/** Reads the models that the token can use. A call for them is free. */
function useModels({ base, known }: Relay, token: string) {
  return useQuery({
    queryKey: ["reference-models", base, token],
    queryFn: ({ signal }) => modelsOf(base, token, signal),
    enabled: known && token !== "",
    retry: false,
    staleTime: Infinity,
    gcTime: 0, // the key contains the token
  });
}

/** Sends the call. It stops when the reader opens another operation. */
function useRun(call: Call) {
  const [result, setResult] = useState<Result>();
  const [fault, setFault] = useState<unknown>();
  const [running, setRunning] = useState(false);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const send = (token: string) => {
    const { signal } = (controller.current = new AbortController());
    setResult(undefined);
    setFault(undefined);
    setRunning(true);
    run(call, token, { signal, onResult: setResult })
      .catch((error: unknown) => !signal.aborted && setFault(error))
      .finally(() => setRunning(false));
  };
  return { send, stop: () => controller.current?.abort(), result, fault, running };
}

interface TokenInputProps {
  typed: string;
  onTyped: (typed: string) => void;
  /** The token is complete: the reader leaves the field or presses Enter. An incomplete token is not tried. */
  onEnter: () => void;
  error: Error | null;
}

function TokenInput({ typed, onTyped, onEnter, error }: TokenInputProps) {
  return (
    <PasswordInput
      label={t`API token`}
      description={
        <>
          <Trans>Sent to the relay only. This page forgets it when you reload.</Trans>{" "}
          <Anchor href="/tokens" inherit underline="always">
            <Trans>Create a token</Trans>
          </Anchor>
        </>
      }
      autoComplete="off"
      required
      value={typed}
      onChange={(event) => onTyped(event.currentTarget.value)}
      onBlur={onEnter}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        onEnter();
      }}
      error={error && messageOf(error)}
      visibilityToggleButtonProps={{ "aria-label": t`Show the token` }}
    />
  );
}

function ParameterInput({
  parameter: { name, required, example, schema },
  value,
  onValue,
}: {
  parameter: Parameter;
  value: string;
  onValue: (value: string) => void;
}) {
  const document = useDocument();
  const label = <span className="mono">{name}</span>;
  const values = shapeOf(document, schema ?? {}).schema.enum?.map(String);
  if (values)
    return (
      <NativeSelect
        label={label}
        required={required ?? false}
        value={value}
        onChange={(event) => onValue(event.currentTarget.value)}
        data={[{ label: t`not set`, value: "" }, ...values]}
      />
    );
  return (
    <TextInput
      label={label}
      placeholder={String(example ?? schema?.examples?.[0] ?? "")}
      required={required ?? false}
      value={value}
      onChange={(event) => onValue(event.currentTarget.value)}
    />
  );
}

interface BodyInputProps {
  body: string;
  onBody: (body: string) => void;
  examples: Example[];
  /** The models that the token can use; undefined if they are not known. */
  models: string[] | undefined;
  model: unknown;
}

function BodyInput({ body, onBody, examples, models, model }: BodyInputProps) {
  const [example, setExample] = useState("0");
  return (
    <>
      {(examples.length > 1 || (models && typeof model === "string")) && (
        <Group grow gap="sm" align="flex-start">
          {examples.length > 1 && (
            <NativeSelect
              label={t`Example`}
              value={example}
              onChange={(event) => {
                const chosen = textOf(examples[Number(event.currentTarget.value)]) ?? "";
                setExample(event.currentTarget.value);
                onBody(typeof model === "string" ? withModel(chosen, model) : chosen);
              }}
              data={examples.map(({ name }, i) => ({ label: name, value: String(i) }))}
            />
          )}
          {models && typeof model === "string" && (
            <NativeSelect
              label={t`Model`}
              value={model}
              onChange={(event) => onBody(withModel(body, event.currentTarget.value))}
              data={models}
            />
          )}
        </Group>
      )}
      <Textarea
        label={t`Body`}
        autosize
        minRows={5}
        maxRows={18}
        spellCheck={false}
        classNames={{ input: classes["body"] }}
        value={body}
        onChange={(event) => onBody(event.currentTarget.value)}
        error={parse(body) === undefined ? t`This is not valid JSON.` : undefined}
      />
    </>
  );
}

const codeLabel = (language: string) => t`${language} code`;

function Code({ call }: { call: Call }) {
  const [language, setLanguage] = useLocalStorage<Language>({
    key: "tollgate-language",
    defaultValue: "curl",
    getInitialValueInEffect: false,
  });
  return (
    <Stack gap="xs">
      <Title order={3}>
        <Trans context="program">Code</Trans>
      </Title>
      <Tabs value={language} onChange={(value) => setLanguage(languages.find((one) => one === value) ?? "curl")}>
        <Tabs.List mb="xs">
          {languages.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {languageNames[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {languages.map((one) => (
          <Tabs.Panel key={one} value={one}>
            <div className={classes["scroll"]}>
              <CodeBlock code={codeOf(one, call)} label={codeLabel(languageNames[one])} />
            </div>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
