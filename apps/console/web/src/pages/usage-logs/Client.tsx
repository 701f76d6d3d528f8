import type { Schema } from "@/api/client";
import { agentName } from "@/components/agent";

/** Shows from where and with which program a request came. */
export function Client({ client: { address, agent } }: { client: Schema<"LogClient"> }) {
  return (
    <>
      <span className="mono">{address}</span> <span title={agent}>{agentName(agent)}</span>
    </>
  );
}
