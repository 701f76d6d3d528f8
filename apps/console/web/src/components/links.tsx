import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";

export type Own<Props> = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props> & Props & { ref?: Ref<HTMLAnchorElement> };

function PlainAnchor(props: Own<AnchorProps>) {
  return <Anchor {...props} />;
}

function PlainButton(props: Own<ButtonProps>) {
  return <Button component="a" {...props} />;
}

/** A link to a page of the console, with the types of its parameters and filters. */
export const AnchorLink = createLink(PlainAnchor);

/** The same as a button. */
export const ButtonLink = createLink(PlainButton);
