import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Runs examples/NAME.ts as a program of its own and returns what it prints. */
export async function runExample(name: string, env: NodeJS.ProcessEnv): Promise<string> {
  const path = fileURLToPath(new URL(`../examples/${name}.js`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [path], { env, timeout: 60_000 });
  return stdout;
}
