package provider

import (
	"net/http"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// verdicts maps the codes and types of errors that are certain about a credential to the reason to disable it.
var verdicts = map[string]catalog.DisabledReason{
	"invalid_api_key":            catalog.ReasonDenied,
	"account_deactivated":        catalog.ReasonDenied,
	"authentication_error":       catalog.ReasonDenied, // Anthropic
	"insufficient_quota":         catalog.ReasonUnpaid,
	"billing_hard_limit_reached": catalog.ReasonUnpaid,
	"billing_not_active":         catalog.ReasonUnpaid,
	"billing_error":              catalog.ReasonUnpaid, // Anthropic
	"Arrearage":                  catalog.ReasonUnpaid, // Alibaba Cloud
}

// DisabledReasonOf returns the reason why an upstream refused a credential, from an error response that is a
// CredentialFault. certain is false if the response has no unambiguous code; an upstream with an outage may refuse
// valid credentials for a while, so the relay must not disable the credential at once then.
func DisabledReasonOf(status int, body []byte) (reason catalog.DisabledReason, certain bool) {
	if e := output.ScanError(body); e != nil {
		for _, word := range [...]string{e.Code, e.Type} {
			if reason, certain = verdicts[word]; certain {
				return reason, true
			}
		}
	}
	if status == http.StatusPaymentRequired {
		return catalog.ReasonUnpaid, true
	}
	return catalog.ReasonDenied, false
}
