package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/tollgate/tollgate/apps/console/internal/reseal"
	"github.com/tollgate/tollgate/libs/service"
)

// resealAll is the command reseal. It re-encrypts everything that TOLLGATE_SECRET_KEY_OLD encrypts with
// TOLLGATE_SECRET_KEY, and prints how many hashes of tokens and access keys
// still depend on the old key. It fails if TOLLGATE_SECRET_KEY_OLD is not set.
func resealAll(p *service.Program, _ string) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	if rt.Config.SecretKeyOld.IsZero() {
		return errors.New("TOLLGATE_SECRET_KEY_OLD is not set: set it to the previous secret key, whose values are " +
			"to be re-encrypted")
	}
	sum, err := reseal.All(context.Background(), rt.Store, rt.Config.Sealer())
	if err != nil {
		return fmt.Errorf("re-encryption stopped after %d values: %w", sum.Resealed(), err)
	}
	_, err = fmt.Fprintf(p.Stdout, "re-encrypted: %d channels, %d second factors, %d issuers, %d alert secrets, %d "+
		"jobs\nstill hashed with the old key, until they are used: %d tokens, %d access keys\nstill encrypted with "+
		"the old key, until a worker fetches their accounts: %d billing credentials\n",
		sum.Channels, sum.TOTPs, sum.Issuers, sum.Alerts, sum.Jobs, sum.Tokens, sum.AccessKeys, sum.Billing)
	return err
}
