import { i18n } from "@lingui/core";
import { renderToStaticMarkup } from "react-dom/server";

import { Localised } from "@/locale/Localised";
import type { Language } from "@/locale/languages";
import { loadMessages } from "@/locale/messages";

import classes from "./parts.module.css";
import { SignIn } from "./SignIn";

/**
 * Returns the sign-in page as HTML, as it is before anything was asked or entered. The build puts it into the document,
 * so that the page is seen before its code has loaded. Until then its fields are disabled.
 */
export async function markup(language: Language): Promise<string> {
  i18n.load(language, {});
  i18n.activate(language);
  await loadMessages("start");
  return renderToStaticMarkup(
    <fieldset className={classes["still"]} disabled inert>
      <Localised>{() => <SignIn query={new URLSearchParams()} enter={() => undefined} />}</Localised>
    </fieldset>,
  );
}
