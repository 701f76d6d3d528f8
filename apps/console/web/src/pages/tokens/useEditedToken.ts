import { notifications } from "@mantine/notifications";
import { useCallback, useRef, useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { messageOf } from "@/api/problem";

/**
 * Returns the token that the form of a list edits, undefined while the form is closed. `edit` reads a token with all of
 * its models and addresses, of which the list has the first ones only. If it is called again, or `close` is, before
 * the answer has come, the answer does not open the form.
 */
export function useEditedToken() {
  const [token, setToken] = useState<Schema<"Token">>();
  const calls = useRef(0);
  const edit = useCallback((id: string) => {
    const call = ++calls.current;
    ask(api.GET("/api/tokens/{id}", { params: { path: { id } } })).then(
      (whole) => call === calls.current && setToken(whole),
      (error: unknown) => call === calls.current && notifications.show({ color: "red", message: messageOf(error) }),
    );
  }, []);
  const close = () => {
    calls.current++;
    setToken(undefined);
  };
  return { token, edit, close };
}
