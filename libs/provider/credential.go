package provider

import (
	"net/http"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// verdicts are the codes and types of errors that tell for certain what is
// wrong with a credential.
var verdicts = map[string]catalog.DisabledReason{
	"invalid_api_key":            catalog.ReasonDenied,
	"account_deactivated":        catalog.ReasonDenied,
	"authentication_error":       catalog.ReasonDenied, // Anthropic
	"insufficient_quota":         catalog.ReasonUnpaid,
	"billing_hard_limit_reached": catalog.ReasonUnpaid,
	"billing_not_active":         catalog.ReasonUnpaid,
	"billing_error":              catalog.ReasonUnpaid, // Anthropic
}

// DisabledReasonOf reads from an error response that is a CredentialFault why
// the upstream refused the credential, and whether that is certain: an upstream
// in trouble may refuse valid credentials for a moment.
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
