import { setNonce } from "get-nonce";

/** The nonce from the content security policy of this page. Styles that are added at run time must carry it. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";

setNonce(nonce);
