import { t } from "@lingui/core/macro";

/** The reasons that users can do something about, in words. */
const words: Record<string, () => string> = {
  rate_limit_exceeded: () => t`Rate limit`,
  insufficient_quota: () => t`No quota left`,
  quota_in_flight: () => t`Quota reserved by other requests`,
  model_not_found: () => t`Model unknown or not allowed`,
  invalid_api_key: () => t`Token disabled, expired or revoked`,
  ip_not_allowed: () => t`IP address not allowed`,
  overloaded: () => t`Gateway overloaded`,
  no_channel_available: () => t`No channel available`,
};

/** Returns the reason of a refusal in words, or its code. */
export const reasonWord = (code: string) => words[code]?.() ?? code;

/** Returns the options of the filter by reason. They include the chosen one, which may be any code of the API. */
export const reasons = (chosen: string | undefined) =>
  [...new Set([...Object.keys(words), ...(chosen ? [chosen] : [])])].map((value) => ({
    value,
    label: reasonWord(value),
  }));
