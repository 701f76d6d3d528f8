import react from "@vitejs/plugin-react";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

// The console's own address, for `npm run dev` beside a running Tollgate.
const console_ = process.env["TOLLGATE_CONSOLE"] ?? "http://127.0.0.1:8081";

const src = fileURLToPath(new URL("./src", import.meta.url));

// The sources of the published client: its build need not be there.
const client = fileURLToPath(new URL("../../../openapi/clients/typescript/src", import.meta.url));

/** Puts a .gz beside every text among the assets: the console sends what is compressed already. */
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

/** Fails the build where a component of Mantine is used whose styles src/mantine.css does not have. */
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
    dedupe: ["eventsource-parser", "openapi-fetch"], // from this package: those of the client need not be installed
  },
  server: { proxy: { "/api": { target: console_, changeOrigin: true } }, fs: { allow: [".", client] } },
  build: {
    target: "es2023",
    assetsInlineLimit: 0, // the content security policy knows no data: scripts or fonts
    chunkSizeWarningLimit: 600,
    emptyOutDir: true,
    // What many pages share is one chunk: it compresses better than hundreds of small ones.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "shared", minShareCount: 20, test: /^(?!.*(ScrollArea|DataTable|react-table|table-core))/ }, // but for what the first pages do without
            { name: "icons", test: /@tabler/, minShareCount: 2 },
          ],
        },
      },
    },
  },
});
