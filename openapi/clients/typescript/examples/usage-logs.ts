// Prints the usage logs of the last hour, newest first, page by page.
import { createConsole, type Schema } from "@tollgate/client/console";

const given = (name: string): string => process.env[name] ?? "";

const admin = createConsole({ url: given("CONSOLE_URL"), accessKey: given("ACCESS_KEY") });

async function* usageLogs(from: Date): AsyncGenerator<Schema<"UsageLog">> {
  let after = "";
  do {
    const { data, error } = await admin.GET("/api/usage-logs", { params: { query: { from: from.toISOString(), ...(after && { after }) } } });
    if (!data) throw new Error(error.detail);
    yield* data.items;
    after = data.next ?? "";
  } while (after);
}

for await (const log of usageLogs(new Date(Date.now() - 3_600_000))) {
  console.log(`${log.model}: ${log.tokens.total} tokens, ${log.quota} USD`);
}
