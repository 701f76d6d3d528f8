// Package reseal seals everything that is kept with the current secret key that
// the one before sealed.
package reseal

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/console/internal/session"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/job"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/mailer"
	"github.com/tollgate/tollgate/libs/seal"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	tokendb "github.com/tollgate/tollgate/libs/store/token"
)

// Summary counts what was sealed anew, and what still rests on the key before.
type Summary struct {
	Channels int // whose credentials or proxy were sealed anew
	TOTPs    int // second factors
	Jobs     int // inputs, results and mails that wait
	tokendb.Unhashed
}

// Resealed is how many things were sealed anew.
func (s *Summary) Resealed() int { return s.Channels + s.TOTPs + s.Jobs }

// All seals everything anew. It may be cut short and begun again; what is
// sealed with the current key already is not touched. What neither key opens
// is an error that names it.
func All(ctx context.Context, s *store.Store, sealer *seal.Sealer) (sum Summary, err error) {
	program := tenant.SystemScope("reseal")
	if sum.Channels, err = s.Catalog.ResealChannels(ctx, program, func(c *catalog.Channel) (*catalogdb.ResealedChannel, error) { return channel(sealer, c) }); err != nil {
		return sum, err
	}
	value := func(what string, purpose func(uuid.UUID) string) func(uuid.UUID, []byte) ([]byte, error) {
		return func(id uuid.UUID, sealed []byte) ([]byte, error) {
			again, err := sealer.Reseal(sealed, purpose(id))
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", what, id, err)
			}
			return again, nil
		}
	}
	if sum.TOTPs, err = s.Signin.ResealTOTPs(ctx, program, value("the second factor of user", session.TOTPPurpose)); err != nil {
		return sum, err
	}
	inputs, err := s.Job.ResealJobInputs(ctx, program, value("the input of job", job.InputPurpose))
	if err != nil {
		return sum, err
	}
	secrets, err := s.Job.ResealJobSecrets(ctx, program, value("the result of job", job.SecretPurpose))
	if err != nil {
		return sum, err
	}
	mails, err := s.Job.ResealMails(ctx, program, value("the mail", mailer.Purpose))
	if err != nil {
		return sum, err
	}
	sum.Jobs = inputs + secrets + mails
	sum.Unhashed, err = s.Token.Unhashed(ctx, program, sealer.Peppers().Current.ID)
	return sum, err
}

// channel returns the channel's secrets sealed anew, nil where all are current.
func channel(sealer *seal.Sealer, c *catalog.Channel) (*catalogdb.ResealedChannel, error) {
	again := catalogdb.ResealedChannel{Keys: make([]catalog.SealedSecret, len(c.Credentials)), Names: map[string]string{}}
	changed := false
	for i, key := range c.Credentials {
		resealed, did, err := sealer.ResealCredential(key)
		if err != nil {
			return nil, fmt.Errorf("credential %d of the channel %q: %w", i+1, c.Name, err)
		}
		again.Keys[i], changed = resealed, changed || did
		if plain, err := sealer.OpenCredential(resealed); err == nil && did {
			again.Names[sealer.OldFingerprint(plain)] = sealer.Fingerprint(plain)
		}
	}
	proxy, did, err := sealer.ResealProxy(c.Settings.Proxy)
	if err != nil {
		return nil, fmt.Errorf("the proxy of the channel %q: %w", c.Name, err)
	}
	if again.Proxy = proxy; !changed && !did {
		return nil, nil //nolint:nilnil // nothing is to change, which is no failure
	}
	return &again, nil
}
