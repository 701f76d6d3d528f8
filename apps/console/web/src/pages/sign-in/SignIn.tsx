import { Alert } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";

import type { Schema } from "@/api/client";

import { FirstStep } from "./FirstStep";
import { PublicFrame } from "./PublicFrame";
import { SecondFactorStep } from "./SecondFactorStep";
import { identityIn, useEntry } from "./useEntry";
import { destination, reasonOf } from "./ways";

const route = getRouteApi("/sign-in");

/** Signs a user in: with a password, a passkey or single sign-on, followed by a second factor if the user has one. */
export function SignIn() {
  const { to, error, tenant } = route.useSearch();
  const enter = useEntry();
  const [pending, setPending] = useState<Schema<"SecondFactor">>();
  const page = destination(to);
  const proceed = (answer: Schema<"SignedIn">) => {
    const identity = identityIn(answer);
    if (identity) enter(identity, page);
    else setPending(answer.second_factor);
  };
  if (pending) {
    return (
      <PublicFrame title="Second factor" description="Your password was right. Show that it is you.">
        <SecondFactorStep factor={pending} done={proceed} restart={() => setPending(undefined)} />
      </PublicFrame>
    );
  }
  const reason = reasonOf(error);
  return (
    <PublicFrame title="Sign in" description="to the console of your model gateway">
      {reason && (
        <Alert color="red" role="alert">
          {reason}
        </Alert>
      )}
      <FirstStep page={page} done={proceed} tenant={tenant} />
    </PublicFrame>
  );
}
