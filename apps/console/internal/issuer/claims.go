package issuer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/tollgate/tollgate/libs/core/claim"
	"github.com/tollgate/tollgate/libs/core/email"
)

// Claims holds the statements of the issuer about a user.
type Claims struct {
	Subject string
	Email   string // "" if the issuer reports none

	verified verdict
	token    *oauth2.Token // authorizes Complete
}

// verdict is the statement of an ID token or of a userinfo response about the e-mail address in it.
type verdict int

const (
	unsaid   verdict = iota // nothing
	verified                // its person has it
	denied                  // it is not verified
)

// claimsOf returns the claims of a verified ID token. Its errors are *Refusal: Rejected, or Requirement together with
// the claims.
func (c *Connection) claimsOf(token *oidc.IDToken) (Claims, error) {
	var members map[string]json.RawMessage
	if err := token.Claims(&members); err != nil {
		return Claims{},
			&Refusal{Reason: Rejected, Cause: fmt.Errorf("the claims of the ID token are malformed: %w", err)}
	}
	if token.Subject == "" {
		return Claims{}, &Refusal{Reason: Rejected, Cause: errors.New("the ID token has no subject")}
	}
	claims := Claims{Subject: token.Subject}
	var err error
	if claims.Email, claims.verified, err = addressIn(members); err != nil {
		return Claims{}, &Refusal{Reason: Rejected, Cause: err}
	}
	if name := claim.FirstUnmet(c.settings.RequiredClaims, members); name != "" {
		return claims, c.unmet(name, members[name])
	}
	return claims, nil
}

// addressIn returns the e-mail address in the claims, "" if there is none, and what they say about it. Names are
// compared exactly, as JSON does not: a user could choose the value of a claim with another spelling.
func addressIn(claims map[string]json.RawMessage) (address string, said verdict, err error) {
	if raw := claims["email"]; raw != nil {
		if err := json.Unmarshal(raw, &address); err != nil {
			return "", unsaid, fmt.Errorf("the claim email is malformed: %w", err)
		}
	}
	// Entra ID has no email_verified. Its xms_edov says that the owner of the address's domain is verified. It must not
	// outweigh an explicit email_verified.
	if said = verdictOf(claims["email_verified"], `true`, `"true"`); said == unsaid {
		said = verdictOf(claims["xms_edov"], `true`, `"true"`, `1`, `"1"`)
	}
	return address, said, nil
}

// verdictOf returns verified for one of the JSON values, unsaid for null and for a claim that is absent, otherwise
// denied.
func verdictOf(raw json.RawMessage, yes ...string) verdict {
	switch text := string(raw); {
	case raw == nil || text == "null":
		return unsaid
	case slices.Contains(yes, text):
		return verified
	}
	return denied
}

// Complete returns the claims with an e-mail address for which the issuer vouches, so that it may identify a user. It
// asks the userinfo endpoint, if there is one, for what the ID token does not say. Its errors are *Refusal: NoEmail and
// Unverified, with which it returns the claims too, Rejected and Unavailable.
func (c *Connection) Complete(claims Claims) (Claims, error) {
	if (claims.Email == "" || claims.verified == unsaid) && c.provider.UserInfoEndpoint() != "" {
		var err error
		if claims, err = c.ask(claims); err != nil {
			return claims, err
		}
	}
	switch {
	case claims.Email == "":
		return claims,
			&Refusal{Reason: NoEmail, Advice: "the claim email is missing; let the issuer send it for the scope email"}
	case claims.verified == denied:
		return claims, &Refusal{Reason: Unverified, Advice: "email_verified, or xms_edov of Entra ID, is not true; " +
			"verify the address at the issuer. No setting allows it"}
	case claims.verified == unsaid && !c.settings.TrustEmail:
		return claims,
			&Refusal{Reason: Unverified,
				Advice: "email_verified is missing, or xms_edov of Entra ID; let the issuer send it, or set " +
					c.setting("TOLLGATE_OIDC_TRUST_EMAIL", "trust_email")}
	}
	return claims, nil
}

// ask returns the claims with what the userinfo endpoint says about the e-mail address. What it says about another
// address than that of the ID token is ignored.
func (c *Connection) ask(claims Claims) (Claims, error) {
	info, err := c.provider.UserInfo(c.ctx, oauth2.StaticTokenSource(claims.token))
	if err != nil {
		return claims, &Refusal{Reason: Unavailable, Cause: err}
	}
	if info.Subject != claims.Subject {
		return claims, &Refusal{Reason: Rejected,
			Cause: errors.New("the userinfo response describes another user than the ID token")}
	}
	var members map[string]json.RawMessage
	if err := info.Claims(&members); err != nil {
		return claims, &Refusal{Reason: Unavailable, Cause: fmt.Errorf("decode the userinfo response: %w", err)}
	}
	address, said, err := addressIn(members)
	if err != nil {
		return claims, &Refusal{Reason: Rejected, Cause: err}
	}
	if claims.Email == "" {
		claims.Email = address
	}
	if email.Normalize(claims.Email) == email.Normalize(address) {
		claims.verified = said
	}
	return claims, nil
}

// unmet returns the Requirement refusal for a required claim with its value in the ID token, nil if the token lacks it.
func (i *Issuer) unmet(name string, value json.RawMessage) *Refusal {
	fault := "is missing in the ID token; let the issuer send it, or change "
	if value != nil {
		fault = "has none of the required values; permit the person at the issuer, or change "
	}
	return &Refusal{Reason: Requirement, Claim: name,
		Advice: "the claim " + name + " " + fault + i.setting("TOLLGATE_OIDC_REQUIRED_CLAIMS", "required_claims")}
}

// setting returns the name of a setting, which has different ones for the platform's issuer and a tenant's.
func (i *Issuer) setting(platform, tenant string) string {
	if i.settings.OfTenant {
		return tenant + " of the tenant's issuer"
	}
	return platform
}
