import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Runs the compiled example NAME in a process of its own and returns its standard output. */
export async function runExample(name: string, env: NodeJS.ProcessEnv): Promise<string> {
  const path = fileURLToPath(new URL(`../examples/${name}.js`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [path], { env, timeout: 60_000 });
  return stdout;
}
