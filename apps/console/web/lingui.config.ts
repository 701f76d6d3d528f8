import { defineConfig } from "@lingui/cli";
import { formatter } from "@lingui/format-po";

import { areas } from "./src/locale/areas.ts";

const all = Object.values(areas).flatMap(({ paths }): readonly string[] => paths);
const below = (path: string) => `<rootDir>/src/${path}`;

/** The paths that belong to other areas although they are below a path of this one. */
const others = (paths: readonly string[]) =>
  all.filter((path) => !paths.includes(path) && paths.some((own) => path.startsWith(`${own}/`)));

export default defineConfig({
  sourceLocale: "en",
  locales: ["en", "zh-Hans"],
  catalogs: Object.entries(areas).map(([name, { paths }]) => ({
    path: `<rootDir>/src/locales/${name}/{locale}`,
    include: paths.map(below),
    exclude: ["**/*.test.*", ...others(paths).flatMap((path) => [below(path), `${below(path)}/**`])],
  })),
  format: formatter({ lineNumbers: false, printPlaceholdersInComments: false }),
});
