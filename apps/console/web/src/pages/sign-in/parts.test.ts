import { DEFAULT_THEME, mergeMantineTheme } from "@mantine/core";
import { expect, it } from "vitest";

import { cssVariables, makeTheme } from "@/theme";

import css from "./parts.module.css?raw";

const theme = mergeMantineTheme(DEFAULT_THEME, makeTheme());
const variables = cssVariables(theme);
const [light, dark]: Record<string, string>[] = [variables.light, variables.dark];
const ours = (name: string) =>
  new RegExp(`--${name}: (?:light-dark\\((\\S+), (\\S+)\\)|(\\S+));`).exec(css)?.slice(1).filter(Boolean);

it.each([
  ["text", "--mantine-color-text"],
  ["dimmed", "--mantine-color-dimmed"],
  ["placeholder", "--mantine-color-placeholder"],
  ["border", "--mantine-color-default-border"],
  ["canvas", "--tollgate-canvas"],
  ["surface", "--tollgate-surface"],
  ["surface-border", "--tollgate-border"],
  ["error", "--mantine-color-error"],
  ["error-text", "--mantine-color-red-light-color"],
])("the sign-in's %s has the colors of %s", (name, variable) =>
  expect(ours(name)).toEqual([light?.[variable], dark?.[variable]]),
);

it("the sign-in's main color is the theme's", () => {
  const { iris } = theme.colors;
  expect([ours("primary"), ours("primary-hover")]).toEqual([[iris?.[6]], [iris?.[7]]]);
});

it("the sign-in has the font of the theme", () => expect(css).toContain(`font-family: ${theme.fontFamily};`));
