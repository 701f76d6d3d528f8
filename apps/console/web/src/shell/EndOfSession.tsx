import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { confirmedChannel } from "@/api/confirmation";
import { hasStatus } from "@/api/problem";
import { sessionQuery } from "@/api/query";
import { leave } from "@/api/session";
import { lazyPart } from "@/components/lazyPart";
import { anyLostAtEnd, discardUnsaved } from "@/components/unsaved";

const SessionEnded = lazyPart(() => import("./SessionEnded"));

function leaveHere() {
  discardUnsaved();
  // Not translated: an error code.
  leave({ to: `${window.location.pathname}${window.location.search}`, error: "ended" });
}

/**
 * Goes to the sign-in page when the session has ended. A refused call rereads the session (see api/query.ts). If a form
 * has values that are not saved, the page stays, and the user signs in again in a dialog over it.
 */
export function EndOfSession() {
  const { data, error, refetch } = useQuery(sessionQuery);
  const [kept, setKept] = useState(false);
  const over = hasStatus(error, 401);
  useEffect(() => {
    if (!over) return;
    if (anyLostAtEnd()) setKept(true);
    else leaveHere();
  }, [over]);
  useSameUser(data?.user.id);
  useEffect(() => {
    if (!kept || !over) return;
    const again = () => void refetch();
    const channel = new BroadcastChannel(confirmedChannel);
    channel.onmessage = again;
    window.addEventListener("focus", again);
    return () => {
      channel.close();
      window.removeEventListener("focus", again);
    };
  }, [kept, over, refetch]);
  return kept && data && <SessionEnded opened={over} email={data.user.email} discard={leaveHere} use={over} />;
}

/** Loads the page again if another user has signed in, because it shows what was read for the previous one. */
function useSameUser(id: string | undefined) {
  const first = useRef(id);
  useEffect(() => {
    if (first.current !== undefined && id !== undefined && id !== first.current) window.location.reload();
    first.current = id;
  }, [id]);
}
