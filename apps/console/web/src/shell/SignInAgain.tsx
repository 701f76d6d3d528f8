import { useState } from "react";

import type { Schema } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import { FirstStep } from "@/pages/sign-in/FirstStep";
import { identityIn } from "@/pages/sign-in/identity";
import { Themed } from "@/pages/sign-in/parts";
import { SecondFactorStep } from "@/pages/sign-in/SecondFactorStep";

/**
 * Signs the user of a page in again, over the page. Single sign-on opens a tab, which tells this one when it is done.
 */
export function SignInAgain({ email }: { email: string }) {
  const [pending, setPending] = useState<Schema<"SecondFactor">>();
  const proceed = (answer: Schema<"SignedIn">) => {
    const identity = identityIn(answer);
    if (!identity) return setPending(answer.second_factor);
    queryClient.setQueryData(sessionQuery.queryKey, identity);
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  };
  return (
    <Themed>
      {pending ? (
        <SecondFactorStep factor={pending} done={proceed} restart={() => setPending(undefined)} />
      ) : (
        <FirstStep page="/confirmed" done={proceed} email={email} />
      )}
    </Themed>
  );
}
