import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const bin = process.env["TOLLGATE_STANDALONE"] ?? fileURLToPath(new URL("../../../bin/standalone", import.meta.url));
const tapBin = process.env["TOLLGATE_TAP"];
const startsWithin = 120_000;
const endsWithin = 15_000;

/** An email address and a password to sign in with. */
export interface Login {
  email: string;
  password: string;
}

/** A Tollgate in one process, with an empty data directory, on free ports. */
export interface Gateway {
  /** Base URL of the console, with the host name localhost, which passkeys require. */
  console: string;
  /** Base URL of the relay, including /v1. */
  relay: string;
  /** The owner of the demo tenant, and one of the owner's tokens. */
  owner: Login;
  token: string;
  operator: Login;
  dataDir: string;
  /** Ends the process and removes its files. */
  close: () => Promise<void>;
}

/** Starts a gateway and waits until it is ready. `env` adds to the environment of the process. */
export async function startGateway(env: Record<string, string> = {}): Promise<Gateway> {
  const dataDir = await mkdtemp(join(tmpdir(), "tollgate-browser-"));
  const tap = tapBin === undefined ? undefined : await startTap(tapBin);
  const child = spawn(bin, {
    env: {
      PATH: process.env["PATH"],
      HOME: dataDir,
      TOLLGATE_DATA_DIR: dataDir,
      TOLLGATE_RELAY_ADDR: "127.0.0.1:0",
      TOLLGATE_CONSOLE_ADDR: "127.0.0.1:0",
      TOLLGATE_OPS_ADDR: "127.0.0.1:0",
      TOLLGATE_LOG_LEVEL: "warn",
      ...(tap && { TOLLGATE_RELAY_URL: tap.url }),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const close = async () => {
    await end(child);
    await rm(dataDir, { recursive: true, force: true });
    await tap?.close();
  };
  try {
    const gateway = { ...readBanner(await bannerOf(child)), dataDir, close };
    tap?.forward(new URL(gateway.relay).host);
    return tap ? { ...gateway, relay: `${tap.url}/v1` } : gateway;
  } catch (error) {
    await close();
    throw error;
  }
}

/** A proxy in front of a relay, which compares what passes with the OpenAPI document (e2e/contract). */
interface Tap {
  url: string;
  /** Forwards connections to the address, which is unknown until the relay listens. */
  forward: (address: string) => void;
  /** Ends the proxy. Rejects with the differences, if there are any. */
  close: () => Promise<void>;
}

async function startTap(program: string): Promise<Tap> {
  const child = spawn(program, { stdio: ["pipe", "pipe", "pipe"] });
  const ended = once(child, "exit");
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()));
  const [line] = (await Promise.race([once(child.stdout, "data"), ended])) as [Buffer | number];
  if (!Buffer.isBuffer(line)) throw new Error(`${program} ended with ${line}: ${complaints}`);
  return {
    url: `http://${line.toString().trim()}`,
    forward: (address) => child.stdin.write(`${address}\n`),
    close: async () => {
      child.stdin.end();
      const [code] = (await ended) as [number | null];
      if (code !== 0) throw new Error(complaints);
    },
  };
}

/**
 * Resolves with the text that the process prints when all parts listen. Rejects if the process ends or takes
 * too long.
 */
function bannerOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    const fail = (why: string) => reject(new Error(`${bin} ${why}:\n${printed}`));
    const timer = setTimeout(() => fail(`did not start within ${startsWithin} ms`), startsWithin);
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      if (!printed.includes("Ctrl-C stops it")) return;
      clearTimeout(timer);
      resolve(printed);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code) => fail(`ended with ${code}`));
  });
}

/** Reads addresses, token and logins from that text. */
function readBanner(banner: string): Omit<Gateway, "dataDir" | "close"> {
  const find = (name: string): string[] => {
    const found = new RegExp(`^ {2}${name} +(\\S+)(?: +(\\S+))?$`, "m").exec(banner);
    if (!found) throw new Error(`no ${name} in\n${banner}`);
    return found.slice(1);
  };
  const person = (name: string): Login => {
    const [email = "", password = ""] = find(name);
    return { email, password };
  };
  const [relay = ""] = find("API");
  const [console_ = ""] = find("Console");
  const [token = ""] = find("Token");
  return { console: console_, relay, token, owner: person("Login"), operator: person("Operator") };
}

/** Ends the process with SIGTERM, and with SIGKILL if it takes too long. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), endsWithin);
  await gone;
  clearTimeout(timer);
}
