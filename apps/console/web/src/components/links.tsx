import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";

/** The props of a Mantine component together with those of the HTML anchor that it renders. */
export type Own<Props> = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props> &
  Props & { ref?: Ref<HTMLAnchorElement> };

function PlainAnchor(props: Own<AnchorProps>) {
  return <Anchor {...props} />;
}

function PlainButton(props: Own<ButtonProps>) {
  return <Button component="a" {...props} />;
}

/** A link to a page of the console. TypeScript checks its path parameters and filters. */
export const AnchorLink = createLink(PlainAnchor);

/** A button that links to a page of the console. */
export const ButtonLink = createLink(PlainButton);
