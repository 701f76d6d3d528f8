import { t } from "@lingui/core/macro";
import { useState } from "react";

import type { Schema } from "@/api/client";
import type { Identity } from "@/api/session";

import { FirstStep } from "./FirstStep";
import { identityIn } from "./identity";
import { Failure, Frame } from "./parts";
import { SecondFactorStep } from "./SecondFactorStep";
import { claimOf, destination, reasonOf, slugOf } from "./ways";

interface SignInProps {
  /**
   * The query of the address: `to` is the page to open afterwards, `error` why the user is here, `claim` the claim that
   * `error` is about, `tenant` the slug of a tenant.
   */
  query: URLSearchParams;
  /** Opens a page of the console for the user who has signed in. */
  enter: (identity: Identity, page: string) => void;
}

/** Signs a user in: with a password, a passkey or single sign-on, followed by a second factor if the user has one. */
export function SignIn({ query, enter }: SignInProps) {
  const [pending, setPending] = useState<Schema<"SecondFactor">>();
  const page = destination(query.get("to") ?? undefined);
  const proceed = (answer: Schema<"SignedIn">) => {
    const identity = identityIn(answer);
    if (identity) enter(identity, page);
    else setPending(answer.second_factor);
  };
  if (pending) {
    return (
      <Frame title={t`Second factor`} description={t`Your password is correct. Now confirm that it's you.`}>
        <SecondFactorStep factor={pending} done={proceed} restart={() => setPending(undefined)} />
      </Frame>
    );
  }
  return (
    <Frame title={t`Sign in`} description={t`to the console of your model gateway`}>
      <Failure error={reasonOf(query.get("error") ?? undefined, claimOf(query.get("claim")))} />
      <FirstStep page={page} done={proceed} tenant={slugOf(query.get("tenant"))} />
    </Frame>
  );
}
