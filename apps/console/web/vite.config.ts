import react from "@vitejs/plugin-react";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

// The address of a running console, to which `npm run dev` forwards API requests.
const console_ = process.env["TOLLGATE_CONSOLE"] ?? "http://127.0.0.1:8081";

const src = fileURLToPath(new URL("./src", import.meta.url));

// The sources of the published client. Its build output is not needed.
const client = fileURLToPath(new URL("../../../openapi/clients/typescript/src", import.meta.url));

/** Writes a .gz file next to each text asset. The console serves these files, so it need not compress at run time. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    writeBundle({ dir = "dist" }) {
      const assets = join(dir, "assets");
      for (const name of readdirSync(assets).filter((file) => /\.(js|css|svg)$/.test(file))) {
        const path = join(assets, name);
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION }));
      }
    },
  };
}

/** Fails the build if a Mantine component is used whose style sheet src/mantine.css does not import. */
function mantineStyles(): Plugin {
  return {
    name: "mantine-styles",
    apply: "build",
    generateBundle(_options, bundle) {
      const styles = readFileSync(new URL("src/mantine.css", import.meta.url), "utf8");
      const modules = Object.values(bundle).flatMap((output) => (output.type === "chunk" ? Object.keys(output.modules) : []));
      const used = modules.flatMap((module) => /@mantine\/core\/.*\/(\w+)\.module\.mjs/.exec(module)?.[1] ?? []);
      const missing = used.filter((name) => !styles.includes(`styles/${name}.css`));
      if (missing.length > 0) this.error(`src/mantine.css lacks ${missing.join(", ")}`);
    },
  };
}

export default defineConfig({
  plugins: [react(), mantineStyles(), compressed()],
  resolve: {
    alias: { "@": src, "@tollgate/client": client },
    dedupe: ["eventsource-parser", "openapi-fetch"], // use this package's copies: those of the client need not be installed
  },
  server: { proxy: { "/api": { target: console_, changeOrigin: true } }, fs: { allow: [".", client] } },
  build: {
    target: "es2023",
    assetsInlineLimit: 0, // the content security policy allows no data: scripts or fonts
    chunkSizeWarningLimit: 600,
    emptyOutDir: true,
    // Modules that many pages share go into one chunk, which compresses better than hundreds of small ones.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "shared", minShareCount: 21, test: /^(?!.*(ScrollArea|DataTable|react-table|table-core|components\/form\.tsx))/ }, // except modules that the first pages do not need
            { name: "icons", test: /@tabler/, minShareCount: 2 },
            // What users see first: one chunk compresses better, and needs fewer requests, than thirty.
            { name: "start", test: /src\/(pages\/overview\/(?!Platform|Health|Failures)|components\/(usage|Snippets|snippets|CodeBlock|Stat))|@mantine\/core\/.*\/(Timeline|Grid|SimpleGrid|SegmentedControl|Skeleton)\// },
          ],
        },
      },
    },
  },
});
