import { Code } from "@mantine/core";
import { Fragment } from "react";

/** Shows a short description. Text between backquotes is code; other Markdown is shown as it is written. */
export function Prose({ text }: { text: string }) {
  return text
    .split("`")
    .map((part, i) => (i % 2 === 1 ? <Code key={i}>{part}</Code> : <Fragment key={i}>{part}</Fragment>));
}
