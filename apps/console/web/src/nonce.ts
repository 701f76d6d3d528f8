import { setNonce } from "get-nonce";

/** The nonce that the content security policy of this very page names. Styles made at run time carry it. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

setNonce(nonce);
