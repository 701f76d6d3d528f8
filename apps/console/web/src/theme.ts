import { t } from "@lingui/core/macro";
import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  type MantineThemeComponents,
} from "@mantine/core";

/** How long the pointer is on an element before its tooltip opens, in milliseconds. */
export const tooltipDelay = 250;

const iris: MantineColorsTuple = [
  "#f3f3ff",
  "#e6e6fd",
  "#cdcdf9",
  "#b1b2f2",
  "#9293ea",
  "#7475e0",
  "#5b5bd6",
  "#4c4bc3",
  "#4040a8",
  "#33338a",
];

const gray: MantineColorsTuple = [
  "#fafafb",
  "#f4f4f6",
  "#ebebef",
  "#dfdfe5",
  "#cbcbd4",
  "#a3a3b0",
  "#6f6f7d",
  "#52525e",
  "#34343d",
  "#1b1b21",
];

const dark: MantineColorsTuple = [
  "#d5d6dc",
  "#a9abb5",
  "#8d909b",
  "#62656f",
  "#3a3c44",
  "#2a2c33",
  "#1f2127",
  "#16171c",
  "#101115",
  "#0b0c0f",
];

/** Removes the landmark role from the header of a dialog: the page has a banner already. */
const noBanner = { header: { role: "presentation" } };
const dialogTitle = { fontWeight: 600, overflowWrap: "anywhere" };

/**
 * The default props of components, keyed by name. Importing the components here would load all of them with the first
 * page.
 */
const components = (): MantineThemeComponents => ({
  ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
  Alert: { defaultProps: { variant: "light" } },
  Badge: { defaultProps: { variant: "light", radius: "sm", tt: "none", fw: 500 } },
  Button: { defaultProps: { fw: 500 } },
  Card: {
    defaultProps: { withBorder: true, radius: "lg", padding: "lg", bg: "var(--tollgate-surface)" },
    styles: { root: { "--paper-border-color": "var(--tollgate-border)" } },
  },
  Drawer: {
    defaultProps: {
      closeButtonProps: { "aria-label": t`Close` },
      attributes: noBanner,
      position: "right",
      overlayProps: { backgroundOpacity: 0.35 },
    },
    styles: { title: dialogTitle },
  },
  Menu: { defaultProps: { shadow: "md", radius: "md" } },
  Modal: {
    defaultProps: {
      closeButtonProps: { "aria-label": t`Close` },
      attributes: noBanner,
      radius: "lg",
      overlayProps: { backgroundOpacity: 0.45 },
      centered: true,
      transitionProps: { duration: 120 },
    },
    styles: { title: dialogTitle },
  },
  Paper: { defaultProps: { radius: "lg" } },
  Table: { defaultProps: { verticalSpacing: 10, horizontalSpacing: "md" } },
  Tabs: { defaultProps: { keepMounted: false } },
  Tooltip: { defaultProps: { withArrow: true, openDelay: tooltipDelay, multiline: true, maw: 360 } },
});

/**
 * Returns the Mantine theme of the console: colors, fonts, sizes and the default props of components. Labels are in the
 * language in use.
 */
export const makeTheme = () =>
  createTheme({
    colors: { iris, gray, dark },
    primaryColor: "iris",
    primaryShade: 6,
    fontFamily:
      '"Inter Variable", system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif',
    fontFamilyMonospace: '"JetBrains Mono Variable", ui-monospace, "SF Mono", Menlo, monospace',
    fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
    lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.5", xl: "1.4" },
    headings: {
      fontWeight: "600",
      sizes: {
        h1: { fontSize: "1.375rem", lineHeight: "1.3" },
        h2: { fontSize: "1.0625rem", lineHeight: "1.35" },
        h3: { fontSize: "0.9375rem", lineHeight: "1.4" },
      },
    },
    defaultRadius: "md",
    radius: { xs: "4px", sm: "6px", md: "8px", lg: "12px", xl: "16px" },
    cursorType: "pointer",
    autoContrast: true,
    respectReducedMotion: true,
    components: components(),
  });

/**
 * Overrides some of Mantine's colors: borders are quieter, and text has the contrast that WCAG AA requires on every
 * surface.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#ffffff",
    "--mantine-color-text": "#1b1b21",
    "--mantine-color-dimmed": "#646471",
    "--mantine-color-placeholder": "#74747f",
    "--mantine-color-default-border": "#e4e4ea",
    "--mantine-color-error": "#c02723",
    "--mantine-color-red-text": "#c02723",
    "--mantine-color-red-light-color": "#b3231f",
    "--mantine-color-green-light-color": "#17683c",
    "--mantine-color-yellow-light-color": "#7a4f00",
    "--mantine-color-red-filled": "#cf2e2e",
    "--mantine-color-red-filled-hover": "#b92626",
    "--tollgate-canvas": "#fafafb",
    "--tollgate-surface": "#ffffff",
    "--tollgate-border": "#e8e8ed",
    "--tollgate-hover": "#f5f5f8",
    "--tollgate-good": "#1a7f4b",
    "--tollgate-bad": "#c9302c",
    "--tollgate-warn": "#9a6200",
  },
  dark: {
    "--mantine-color-body": "#16171c",
    "--mantine-color-text": "#e7e8ec",
    "--mantine-color-dimmed": "#9a9ca7",
    "--mantine-color-placeholder": "#858893",
    "--mantine-color-error": "#ff7b72",
    "--mantine-color-red-text": "#ff7b72",
    "--mantine-color-red-light-color": "#ff9d96",
    "--mantine-color-default": "#1b1c22",
    "--mantine-color-default-hover": "#23252c",
    "--mantine-color-default-border": "#30323a",
    "--mantine-color-red-filled": "#cf2e2e",
    "--mantine-color-red-filled-hover": "#b92626",
    "--tollgate-canvas": "#101115",
    "--tollgate-surface": "#16171c",
    "--tollgate-border": "#26282f",
    "--tollgate-hover": "#1c1d23",
    "--tollgate-good": "#4fc98a",
    "--tollgate-bad": "#ff7b72",
    "--tollgate-warn": "#e2b252",
  },
});
