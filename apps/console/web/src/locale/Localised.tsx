import { i18n } from "@lingui/core";
import { I18nProvider, useLingui } from "@lingui/react";
import { Fragment, type ReactNode } from "react";

/**
 * Gives its children the messages. They are mounted again when the language changes, so that no text stays in the old
 * one.
 */
export function Localised({ children }: { children: () => ReactNode }) {
  return (
    <I18nProvider i18n={i18n}>
      <Keyed>{children}</Keyed>
    </I18nProvider>
  );
}

function Keyed({ children }: { children: () => ReactNode }) {
  const { locale } = useLingui().i18n;
  return <Fragment key={locale}>{children()}</Fragment>;
}
