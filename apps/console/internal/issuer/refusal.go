package issuer

// Reason tells why a sign-in by OpenID Connect failed. The sign-in page
// receives it in the query parameter error and shows a text for it.
type Reason string

// The reasons.
const (
	Off         Reason = "off"         // no issuer is configured
	Busy        Reason = "busy"        // too many sign-ins at the same time, from one address or of one user
	Unavailable Reason = "unavailable" // the issuer does not respond, or sends malformed responses
	Expired     Reason = "expired"     // the sign-in took too long, or started in another browser
	Denied      Reason = "denied"      // the issuer, or the user at the issuer, refused
	Rejected    Reason = "rejected"    // the issuer's code or its statements about the user failed a check
	NoEmail     Reason = "no_email"    // the issuer reports no e-mail address
	Unverified  Reason = "unverified"  // the issuer does not report the e-mail address as verified
	Requirement Reason = "requirement" // a claim of the ID token does not meet its requirement
	Unknown     Reason = "unknown"     // no user has the e-mail address, or its domain is not allowed
	Unproven    Reason = "unproven"    // the user has not proven the e-mail address to the console yet
	Disabled    Reason = "disabled"    // the user or the tenant is disabled
	Taken       Reason = "taken"       // the user is already linked to another account at the issuer
	Other       Reason = "other"       // to confirm, the user signed in with an account that is not linked to the user
	Stale       Reason = "stale"       // the issuer did not ask the user to sign in again, or does not tell when it did
	NoIssuer    Reason = "no_issuer"   // no tenant has an issuer for the address or the link
	Enforced    Reason = "enforced"    // the user must sign in with the issuer of the tenant
	Failed      Reason = "failed"      // an internal error
)

// Refusal is the error of a sign-in by OpenID Connect that failed.
type Refusal struct {
	Reason Reason
	Cause  error  // details for the log, which the client must not see; may be nil
	Claim  string // the claim that a Requirement refusal is about
	// Advice says for administrators what the issuer lacks and what allows the sign-in, for the log and the audit log.
	// It contains no values of claims. It may be "".
	Advice string
}

// OfPerson reports whether a person or a statement about a person was refused. Otherwise the sign-in could not be made
// or begun.
func (r *Refusal) OfPerson() bool {
	switch r.Reason {
	case Rejected, NoEmail, Unverified, Requirement, Unknown, Unproven, Disabled, Taken, Other, Enforced:
		return true
	}
	return false
}

// Summary returns the reason and the advice, for the audit log.
func (r *Refusal) Summary() string {
	if r.Advice == "" {
		return string(r.Reason)
	}
	return string(r.Reason) + ": " + r.Advice
}

// Error returns the reason and the cause, for logs.
func (r *Refusal) Error() string {
	if r.Cause == nil {
		return string(r.Reason)
	}
	return string(r.Reason) + ": " + r.Cause.Error()
}

// Unwrap returns the cause, which may be nil.
func (r *Refusal) Unwrap() error { return r.Cause }
