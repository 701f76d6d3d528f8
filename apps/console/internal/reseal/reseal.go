// Package reseal re-encrypts everything in the database that was
// encrypted with the previous secret key, so that the key can be retired.
//
// Encrypted ("sealed") values are the credentials and proxies of channels, the secrets of second factors,
// the client secrets of tenants' issuers, the URLs and signing secrets of alert destinations, the inputs and results of
// jobs, and queued mails. Tokens and access keys are different: the database holds only keyed hashes of them, so each
// can be rehashed only when it is used, see Summary.Unhashed. Billing credentials are different, too: only the worker
// may read them.
package reseal

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/alert"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// Summary counts the values that were re-encrypted and the hashes that still depend on the previous key.
type Summary struct {
	Channels int // channels with a re-encrypted credential or proxy
	TOTPs    int // second factors
	Issuers  int // client secrets of tenants' issuers
	Alerts   int // URLs and signing secrets of alert destinations
	Jobs     int // inputs and results of jobs, and queued mails
	// Billing credentials that still need the previous key: the worker re-encrypts them when it fetches the account
	// next.
	Billing int
	tokendb.Unhashed
}

// Resealed returns the total number of re-encrypted values.
func (s *Summary) Resealed() int { return s.Channels + s.TOTPs + s.Issuers + s.Alerts + s.Jobs }

// All re-encrypts every value that is encrypted with the previous key. It leaves values of
// the current key alone, so an interrupted run can be repeated. A value that neither key can
// decrypt is an error that names the value; the summary then counts the values before it.
func All(ctx context.Context, s *store.Store, sealer *seal.Sealer) (sum Summary, err error) {
	program := tenant.SystemScope("reseal")
	if sum.Channels, err = s.Catalog.ResealChannels(ctx, program,
		func(c *catalog.Channel) (*catalogdb.ResealedChannel, error) { return channel(sealer, c) }); err != nil {
		return sum, err
	}
	// The values of a kind are bound to their ids: purpose returns the context that Open requires.
	value := func(kind string, purpose func(uuid.UUID) string) func(uuid.UUID, []byte) ([]byte, error) {
		return func(id uuid.UUID, ciphertext []byte) ([]byte, error) {
			result, err := sealer.Reseal(ciphertext, purpose(id))
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", kind, id, err)
			}
			return result, nil
		}
	}
	if sum.TOTPs, err = s.Signin.ResealTOTPs(ctx, program,
		value("the second factor of user", session.TOTPPurpose)); err != nil {
		return sum, err
	}
	if sum.Issuers, err = s.Identity.ResealIssuers(ctx, program,
		value("the client secret of the issuer of tenant", tenant.IssuerPurpose)); err != nil {
		return sum, err
	}
	urls, err := s.Alert.ResealURLs(ctx, program, value("the URL of the alert destination", alert.URLPurpose))
	if err != nil {
		return sum, err
	}
	secrets, err := s.Alert.ResealSecrets(ctx, program,
		value("the signing secret of the alert destination", alert.SecretPurpose))
	if err != nil {
		return sum, err
	}
	sum.Alerts = urls + secrets
	inputs, err := s.Job.ResealJobInputs(ctx, program, value("the input of job", job.InputPurpose))
	if err != nil {
		return sum, err
	}
	results, err := s.Job.ResealJobSecrets(ctx, program, value("the result of job", job.SecretPurpose))
	if err != nil {
		return sum, err
	}
	mails, err := s.Job.ResealMails(ctx, program, value("the mail", mailer.Purpose))
	if err != nil {
		return sum, err
	}
	sum.Jobs = inputs + results + mails
	if sum.Billing, err = s.Invoice.Stale(ctx, program, sealer.BillingKey()); err != nil {
		return sum, err
	}
	sum.Unhashed, err = s.Token.Unhashed(ctx, program, sealer.Peppers().Current.ID)
	return sum, err
}

// channel returns the channel's secrets re-encrypted, or nil if all of them use the current key. Fingerprints
// depend on the key too: Names maps the old fingerprint of each re-encrypted credential to the new one.
func channel(sealer *seal.Sealer, c *catalog.Channel) (*catalogdb.ResealedChannel, error) {
	result := catalogdb.ResealedChannel{Keys: make([]catalog.SealedSecret, len(c.Credentials)),
		Names: map[string]string{}}
	changed := false
	for i, key := range c.Credentials {
		secret, did, err := sealer.ResealCredential(key)
		if err != nil {
			return nil, fmt.Errorf("credential %d of the channel %q: %w", i+1, c.Name, err)
		}
		result.Keys[i], changed = secret, changed || did
		// The table of disabled credentials names them by fingerprint, so it needs the new names.
		if plaintext, err := sealer.OpenCredential(secret); err == nil && did {
			result.Names[sealer.OldFingerprint(plaintext)] = sealer.Fingerprint(plaintext)
		}
	}
	proxy, did, err := sealer.ResealProxy(c.Settings.Proxy)
	if err != nil {
		return nil, fmt.Errorf("the proxy of the channel %q: %w", c.Name, err)
	}
	if result.Proxy = proxy; !changed && !did {
		return nil, nil //nolint:nilnil // no change is needed, which is not an error
	}
	return &result, nil
}
