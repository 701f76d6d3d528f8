import { Anchor } from "@mantine/core";
import { Children, isValidElement, memo, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

import { CodeBlock } from "@/components/CodeBlock";

import classes from "./Playground.module.css";

/** Returns the text of a code block's children. */
function codeOf(children: ReactNode): string {
  return Children.toArray(children)
    .map((child) => (typeof child === "string" ? child : isValidElement<{ children?: ReactNode }>(child) ? codeOf(child.props.children) : ""))
    .join("");
}

// Headings of an answer are two levels lower, below the headings of the page. Images are replaced by links: loading
// them would tell another site that the reader saw the answer.
const components: Components = {
  h1: "h3",
  h2: "h4",
  h3: "h5",
  h4: "h6",
  h5: "h6",
  pre: ({ children }) => <CodeBlock code={codeOf(children).replace(/\n$/, "")} />,
  img: ({ alt, src }) => <Link href={typeof src === "string" ? src : undefined}>{alt || "Picture"}</Link>,
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
