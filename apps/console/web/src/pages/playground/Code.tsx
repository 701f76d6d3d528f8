import { type ReactNode, useDeferredValue, useEffect, useMemo, useState } from "react";

import { CodeBlock } from "@/components/CodeBlock";

import classes from "./Highlight.module.css";

type Highlight = (code: string, language: string) => ReactNode;

const longest = 50_000; // characters; longer code is not colored, because that would take too long

/** Shows a block of code, with colors if its language is known, and a copy button. */
export function Code({
  code,
  language,
  label,
  wrap,
}: {
  code: string;
  language: string | undefined;
  label?: string;
  wrap?: boolean;
}) {
  const highlight = useHighlight(language !== undefined && code.length <= longest);
  // While an answer arrives, the colors may come later than the text.
  const later = useDeferredValue(code);
  const colored = useMemo(
    () => (highlight && language !== undefined && later.length <= longest ? highlight(later, language) : undefined),
    [highlight, later, language],
  );
  return (
    <div className={classes["colors"]}>
      <CodeBlock code={code} {...(label !== undefined && { label })} {...(wrap && { wrap })}>
        {later === code ? colored : undefined}
      </CodeBlock>
    </div>
  );
}

/** Returns the function that colors code. Its code is loaded when it is wanted; undefined before. */
function useHighlight(wanted: boolean): Highlight | undefined {
  const [highlight, setHighlight] = useState<Highlight>();
  useEffect(() => {
    if (!wanted) return;
    let shown = true;
    // Without it, for example offline, code has no colors.
    import("./highlight").then(
      (loaded) => shown && setHighlight(() => loaded.highlight),
      () => undefined,
    );
    return () => {
      shown = false;
    };
  }, [wanted]);
  return highlight;
}
