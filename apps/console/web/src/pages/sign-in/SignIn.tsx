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

/** The way in: a password, a passkey or another's word; and then a second factor, for those who have one. */
export function SignIn() {
  const { to, error } = route.useSearch();
  const enter = useEntry();
  const [pending, setPending] = useState<Schema<"SecondFactor">>();
  const page = destination(to);
  const goOn = (answer: Schema<"SignedIn">) => {
    const identity = identityIn(answer);
    if (identity) enter(identity, page);
    else setPending(answer.second_factor);
  };
  if (pending) {
    return (
      <PublicFrame title="Second factor" description="Your password was right. Show that it is you.">
        <SecondFactorStep factor={pending} done={goOn} restart={() => setPending(undefined)} />
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
      <FirstStep page={page} done={goOn} />
    </PublicFrame>
  );
}
