package provider

import (
	"net/http"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/wire/openai/output"
)

// verdicts are the codes and types of errors that tell for certain what is
// wrong with a credential.
var verdicts = map[string]catalog.Refusal{
	"invalid_api_key":            catalog.Denied,
	"account_deactivated":        catalog.Denied,
	"authentication_error":       catalog.Denied, // Anthropic
	"insufficient_quota":         catalog.Unpaid,
	"billing_hard_limit_reached": catalog.Unpaid,
	"billing_not_active":         catalog.Unpaid,
	"billing_error":              catalog.Unpaid, // Anthropic
}

// RefusalOf reads from an error answer that is a CredentialFault why the
// credential was refused, and whether that is certain: an upstream in trouble
// may deny good credentials for a moment.
func RefusalOf(status int, body []byte) (reason catalog.Refusal, certain bool) {
	if e := output.ScanError(body); e != nil {
		for _, word := range [...]string{e.Code, e.Type} {
			if reason, certain = verdicts[word]; certain {
				return reason, true
			}
		}
	}
	if status == http.StatusPaymentRequired {
		return catalog.Unpaid, true
	}
	return catalog.Denied, false
}
