import { api, ask, type Schema } from "@/api/client";
import { hasStatus } from "@/api/problem";

/** What is known of a request: the usage log of one that reached a model, or why it was refused. */
export interface FoundCall {
  log?: Schema<"UsageLogDetail">;
  refused?: Schema<"RefusedCall">;
}

/** Finds a request by its id. If there is none, the failure is that of the usage log. */
export async function findCall(id: string): Promise<FoundCall> {
  const params = { path: { id } };
  try {
    return { log: await ask(api.GET("/api/usage-logs/{id}", { params })) };
  } catch (error) {
    if (!hasStatus(error, 404)) throw error;
    try {
      return { refused: await ask(api.GET("/api/refused-calls/{id}", { params })) };
    } catch (other) {
      throw hasStatus(other, 404) ? error : other;
    }
  }
}
