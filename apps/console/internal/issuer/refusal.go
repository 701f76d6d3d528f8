package issuer

// Reason says why a sign-in by OpenID Connect ended without a session. The
// sign-in page receives it as a word.
type Reason string

// The reasons.
const (
	Off         Reason = "off"         // there is no issuer
	Busy        Reason = "busy"        // too many sign-ins at once, or from one address
	Unavailable Reason = "unavailable" // the issuer does not answer, or not as one
	Expired     Reason = "expired"     // it took too long, or began in another browser
	Denied      Reason = "denied"      // by the issuer, or by the user there
	Rejected    Reason = "rejected"    // what the issuer said of the user is not to be believed
	Unverified  Reason = "unverified"  // there is no e-mail address, or it is not verified
	Unknown     Reason = "unknown"     // nobody here has the address, or its domain is not let in
	Disabled    Reason = "disabled"    // the user or their tenant
	Taken       Reason = "taken"       // the user is somebody else to the issuer
	Failed      Reason = "failed"      // a fault of ours
)

// Refusal is a sign-in by OpenID Connect that ended without a session.
type Refusal struct {
	Reason Reason
	Cause  error // nil, or more for the log; never for the client
}

// Error is for logs.
func (r *Refusal) Error() string {
	if r.Cause == nil {
		return string(r.Reason)
	}
	return string(r.Reason) + ": " + r.Cause.Error()
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Cause }
