import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Badge, Text } from "@mantine/core";

import type { Failure } from "./answer";
import { generated } from "./charge";
import { Code } from "./Code";
import { failureWords, type AssistantTurn } from "./conversation";
import { formatted } from "./settings";

const endings: Record<string, MessageDescriptor> = {
  length: msg`Stopped at the max output tokens`,
  max_output_tokens: msg`Stopped at the max output tokens`,
  content_filter: msg`Stopped by a content filter`,
};

/** The receipt has the charge as soon as it is known. */
const stoppedWord = (turn: AssistantTurn) =>
  generated(turn) && !turn.receipt?.on && turn.receipt?.quota === undefined
    ? t`Stopped. Generated tokens are charged.`
    : t`Stopped`;

/** Shows why an answer ended, unless the model finished it normally. */
export function Ending({ turn }: { turn: AssistantTurn }) {
  const ending = endings[turn.finish ?? ""];
  const word = turn.state === "stopped" ? stoppedWord(turn) : ending && i18n._(ending);
  const nothing = turn.state === "done" && !turn.text && turn.calls.length === 0;
  return (
    <>
      {turn.failure && <FailureAlert failure={turn.failure} />}
      {nothing && (
        <Text c="dimmed">
          <Trans>The answer is empty.</Trans>
        </Text>
      )}
      {word && (
        <Badge color="yellow" mt={8}>
          {word}
        </Badge>
      )}
    </>
  );
}

function FailureAlert({ failure }: { failure: Failure }) {
  return (
    <Alert color="red" role="alert" mt={6} title={failure.message}>
      <Text size="sm" className="mono">
        {failureWords(failure).join(" · ")}
      </Text>
      {failure.detail && (
        <Code code={formatted(failure.detail)} language={undefined} label={t`Response of the upstream`} wrap />
      )}
    </Alert>
  );
}
