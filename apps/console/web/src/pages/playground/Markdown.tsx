import { t } from "@lingui/core/macro";
import { Anchor } from "@mantine/core";
import { Children, isValidElement, memo, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

import { Code } from "./Code";
import classes from "./Playground.module.css";

type Element = { children?: ReactNode; className?: string };

const elements = (children: ReactNode) => Children.toArray(children).filter((child) => isValidElement<Element>(child));

/** Returns the text of a code block's children. */
function codeOf(children: ReactNode): string {
  return Children.toArray(children)
    .map((child) =>
      typeof child === "string" ? child : isValidElement<Element>(child) ? codeOf(child.props.children) : "",
    )
    .join("");
}

/** Returns the language that a code block names; undefined if it names none. */
const languageOf = (children: ReactNode) =>
  /language-(\S+)/.exec(elements(children)[0]?.props.className ?? "")?.[1]?.toLowerCase();

// Headings of an answer are two levels lower, below the headings of the page. Images are replaced by links: loading
// them would tell another site that the reader saw the answer.
const components: Components = {
  h1: "h3",
  h2: "h4",
  h3: "h5",
  h4: "h6",
  h5: "h6",
  pre: ({ children }) => <Code code={codeOf(children).replace(/\n$/, "")} language={languageOf(children)} />,
  img: ({ alt, src }) => <Link href={typeof src === "string" ? src : undefined}>{alt || t`Image`}</Link>,
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
};

function Link({ href, children }: { href: string | undefined; children: ReactNode }) {
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer nofollow" inherit>
      {children}
    </Anchor>
  );
}

/** Renders the Markdown of an answer. HTML in the text is shown as text, not interpreted. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className={classes["markdown"]}>
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
