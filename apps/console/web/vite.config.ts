import { lingui } from "@lingui/vite-plugin";
import babel from "@rolldown/plugin-babel";
import react from "@vitejs/plugin-react";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { createServer, type Plugin, type Rolldown } from "vite";
import { defineConfig } from "vitest/config";
import { parse } from "yaml";

import { type Language, languages } from "./src/locale/languages.ts";

// The address of a running console, to which `npm run dev` forwards API requests.
const console_ = process.env["TOLLGATE_CONSOLE"] ?? "http://127.0.0.1:8081";

const page = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const src = fileURLToPath(new URL("./src", import.meta.url));

// The sources of the published client. Its build output is not needed.
const client = fileURLToPath(new URL("../../../openapi/clients/typescript/src", import.meta.url));

// The path of the relay's OpenAPI document, which the API reference shows.
const documentPath = "reference/openapi.json";

/** Adds the relay's OpenAPI document to the build, and serves it to `npm run dev`. */
function relayDocument(): Plugin {
  const json = () =>
    JSON.stringify(parse(readFileSync(new URL("../../../openapi/relay.yaml", import.meta.url), "utf8")));
  return {
    name: "relay-document",
    configureServer: ({ middlewares }) =>
      void middlewares.use(`/${documentPath}`, (_request, response) =>
        response.setHeader("content-type", "application/json").end(json()),
      ),
    generateBundle() {
      this.emitFile({ type: "asset", fileName: documentPath, source: json() });
    },
  };
}

/** Serves the sign-in page at its address to `npm run dev`, as the console does. */
function signInPage(): Plugin {
  return {
    name: "sign-in-page",
    configureServer: ({ middlewares }) =>
      void middlewares.use((request, _response, next) => {
        if (/^\/sign-in(\?|$)/.test(request.url ?? "")) request.url = "/sign-in.html";
        next();
      }),
  };
}

/** The code that shows the overview, and the messages that it needs. */
const overviewParts = [
  "shell/Shell.tsx",
  "pages/overview/Overview.tsx",
  ...["start", "shell", "common", "overview"].map((area) => `locales/${area}/LANGUAGE.po`),
];

/**
 * Writes the documents that the console serves in each language: overview.LANGUAGE.html, which is index.html with links
 * to all files that show the overview, and the script that reads its data early, and sign-in.LANGUAGE.html, which shows the page before its
 * code has loaded. The browser loads linked files at the same time as the scripts that would ask for them.
 */
function documents(): Plugin {
  return {
    name: "documents",
    apply: "build",
    async writeBundle({ dir = "dist" }, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === "chunk");
      /** Returns the files that have the parts, and all files that these import, without those that the document has. */
      const filesOf = (parts: readonly string[], language: string, document: string) => {
        const files = new Set<string>();
        const add = (chunk: Rolldown.OutputChunk | undefined) => {
          if (!chunk || files.has(chunk.fileName)) return;
          files.add(chunk.fileName);
          chunk.viteMetadata?.importedCss.forEach((css) => files.add(css));
          for (const name of chunk.imports) add(chunks.find(({ fileName }) => fileName === name));
        };
        for (const part of parts) {
          const id = join(src, part.replace("LANGUAGE", language));
          const chunk =
            chunks.find(({ facadeModuleId }) => facadeModuleId === id) ??
            chunks.find(({ moduleIds }) => moduleIds.includes(id));
          if (!chunk) this.error(`no chunk has ${part}`);
          add(chunk);
        }
        return [...files].filter((file) => !document.includes(file));
      };
      const linked = (document: string, links: readonly string[]) =>
        document.replace("  </head>", () => `${links.map((link) => `    ${link}\n`).join("")}  </head>`);
      const index = readFileSync(join(dir, "index.html"), "utf8");
      const signIn = readFileSync(join(dir, "sign-in.html"), "utf8");
      const styles = readdirSync(join(dir, "assets"))
        .filter((file) => file.endsWith(".css"))
        .map((file) => readFileSync(join(dir, "assets", file), "utf8"))
        .join("");
      const early = chunks.find(({ facadeModuleId }) => facadeModuleId === join(src, "early.ts"));
      if (!early) this.error("no chunk has early.ts");
      for (const [language, html] of await signInPages()) {
        // An async script does not wait for style sheets, as the page's own does.
        const overview = linked(index, filesOf(overviewParts, language, index).map(linkOf)).replace(
          '<script type="module"',
          (own) =>
            `<link rel="preload" as="fetch" crossorigin href="/api/session">\n    <script type="module" async crossorigin src="/${early.fileName}"></script>\n    ${own}`,
        );
        writeFileSync(join(dir, `overview.${language}.html`), overview);

        if (/\sstyle=/.test(html))
          this.error("the policy of the console allows no style attributes: the sign-in has one");
        const names = [...html.matchAll(/class="([^"]*)"/g)].flatMap(([, list = ""]) => list.split(" "));
        const missing = names.find((name) => name.startsWith("_") && !styles.includes(`.${name}`));
        if (missing) this.error(`no style sheet has ${missing} of the sign-in`);
        const document = linked(signIn, filesOf(["locales/start/LANGUAGE.po"], language, signIn).map(linkOf))
          .replace('<html lang="en">', `<html lang="${language}">`)
          .replace('<div id="root">', (root) => root + html); // a text may have $, which means something in a string
        writeFileSync(join(dir, `sign-in.${language}.html`), document);
      }
      rmSync(join(dir, "sign-in.html"));
    },
  };
}

/** Returns the link that loads a file early. */
const linkOf = (file: string) =>
  `<link rel="${file.endsWith(".css") ? "stylesheet" : "modulepreload"}" crossorigin href="/${file}">`;

/** Returns the HTML of the sign-in page in each language. */
async function signInPages(): Promise<[Language, string][]> {
  const server = await createServer({
    configFile: false,
    plugins: [messageMacros, react(), lingui({ failOnCompileError: true })],
    resolve,
    appType: "custom",
    optimizeDeps: { noDiscovery: true },
    server: { middlewareMode: true, watch: null, ws: false },
  });
  try {
    const { markup } = (await server.ssrLoadModule("/src/pages/sign-in/markup.tsx")) as {
      markup: (language: Language) => Promise<string>;
    };
    const pages: [Language, string][] = [];
    for (const language of Object.keys(languages) as Language[]) pages.push([language, await markup(language)]);
    return pages;
  } finally {
    await server.close();
  }
}

/**
 * Writes a .br and a .gz file next to each text file. The console serves these files, so it need not compress at run
 * time.
 */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    writeBundle({ dir = "dist" }) {
      const assets = readdirSync(join(dir, "assets")).filter((file) => /\.(js|css|svg)$/.test(file));
      for (const name of [...assets.map((file) => join("assets", file)), documentPath]) {
        const path = join(dir, name);
        const content = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(content)); // at its best quality, the default
        writeFileSync(`${path}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
      }
    },
  };
}

/**
 * Fails the build if a Mantine component is used whose style sheet neither src/mantine.css nor src/mantine-later.css
 * imports, or if a style sheet of Mantine is not in its layer: then it could override our own, by the order of loading.
 */
function mantineStyles(): Plugin {
  return {
    name: "mantine-styles",
    apply: "build",
    generateBundle(_options, bundle) {
      const styles = ["src/mantine.css", "src/mantine-later.css"]
        .map((name) => readFileSync(new URL(name, import.meta.url), "utf8"))
        .join("");
      const modules = Object.values(bundle).flatMap((output) =>
        output.type === "chunk" ? Object.keys(output.modules) : [],
      );
      const used = modules.flatMap((module) => /@mantine\/core\/.*\/(\w+)\.module\.mjs/.exec(module)?.[1] ?? []);
      const missing = used.filter((name) => !styles.includes(`styles/${name}.layer.css`));
      if (missing.length > 0) this.error(`src/mantine.css lacks ${missing.join(", ")}`);
      const imported = [...modules, ...[...styles.matchAll(/@import "([^"]+)"/g)].map(([, name]) => name ?? "")];
      const unlayered = imported.filter((name) => /@mantine\/.*\.css$/.test(name) && !name.endsWith(".layer.css"));
      if (unlayered.length > 0) this.error(`no layer has ${unlayered.join(", ")}: import the .layer.css`);
    },
  };
}

const resolve = {
  alias: { "@": src, "@tollgate/client": client },
  // Use this package's copies: those of the client need not be installed.
  dedupe: ["eventsource-parser", "openapi-fetch"],
};

/** Turns the macros of messages into calls. Only files that use them pass through Babel. */
const messageMacros = babel({
  presets: [
    {
      preset: { plugins: ["@lingui/babel-plugin-lingui-macro"] },
      rolldown: { filter: { code: /@lingui\/(core|react)\/macro/ } },
    },
  ],
});

export default defineConfig({
  plugins: [
    messageMacros,
    react(),
    lingui({ failOnCompileError: true }),
    mantineStyles(),
    signInPage(),
    relayDocument(),
    documents(),
    compressed(),
  ],
  resolve,
  test: {
    env: { TZ: "UTC" },
    setupFiles: ["src/locale/setup.ts"],
    css: { include: [/parts\.module\.css/] },
    testTimeout: 60_000, // a loaded machine is slow
    hookTimeout: 60_000,
  },
  server: { proxy: { "/api": { target: console_, changeOrigin: true } }, fs: { allow: [".", client] } },
  build: {
    target: "es2023",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the content security policy allows no data: scripts or fonts
    chunkSizeWarningLimit: 600,
    emptyOutDir: true,
    // Modules that many pages share go into one chunk, which compresses better than hundreds of small ones.
    rolldownOptions: {
      input: { main: page("index.html"), "sign-in": page("sign-in.html"), early: page("src/early.ts") },
      output: {
        codeSplitting: {
          groups: [
            {
              name: "early",
              priority: 2,
              test: /src\/(api\/early|pages\/overview\/query|components\/usage\/range|format\/timeZone)\.ts/,
            },
            // What the sign-in needs, and so all pages.
            {
              name: "base",
              priority: 1,
              test: /node_modules\/(react|react-dom|scheduler|openapi-fetch|@lingui)\/|src\/(locale\/(messages|languages|areas|Localised)|rootElement|shell\/LogoMark|pages\/sign-in\/(ways|identity|fragment)|api\/(client|problem|confirmation|passkey))|preload-helper|openapi\/clients\/typescript\/src\/console|@tabler\/.*(createReactComponent|defaultAttributes|IconEye|IconFingerprint|IconLogin2)/,
            },
            {
              name: "shared",
              minShareCount: 40,
              test: /^(?!.*(ScrollArea|Combobox|Popover|Tooltip|Modal|Floating|floating-ui|react-remove-scroll|use-sidecar|react-style-singleton|use-callback-ref|\/Input\/|DataTable|react-table|table-core|components\/table\/|virtual|components\/form\.tsx))/,
            }, // except modules that the first pages do not need
            {
              name: "routes",
              test: /src\/(routes\/|router|pages\/[^.]*\/(filters|search|question)\.ts|components\/audit\/filters)/,
            },
            { name: "icons", test: /@tabler/, minShareCount: 2 },
            // What users see first: one chunk compresses better, and needs fewer requests, than thirty.
            {
              debugName: "first",
              name: (id) => `first-${/([^/]+)\.po$/.exec(id)?.[1]}`,
              test: /src\/locales\/(shell|common|overview)\/[^/]+\.po/,
            },
            {
              name: "start",
              test: /src\/(shell\/(Shell|AccountButton|AccountMenu|Commands|Confirmations|Dialogs|EndOfSession|Jobs|Leaving|LoadFailed|Logo|Notices|Offline|navigation|shortcuts)\.|pages\/overview\/(?!Platform|Health|Margin|Failures|FilterLine|RangeDialog|search)|components\/(usage\/(?!range|EffectivePrice|classes|FiguresTable)|Snippets|snippets|CodeBlock|Stat|lazyPart))|@mantine\/core\/.*\/(Timeline|Grid|SimpleGrid|SegmentedControl|Skeleton)\//,
            },
          ],
        },
      },
    },
  },
});
