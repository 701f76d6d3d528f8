package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/tollgate/tollgate/apps/console/internal/reseal"
	"github.com/tollgate/tollgate/libs/service"
)

type resealing struct{}

// Run seals everything with TOLLGATE_SECRET_KEY that TOLLGATE_SECRET_KEY_OLD
// sealed, and tells what still rests on the latter.
func (resealing) Run(p *service.Program) error {
	rt, err := p.Open()
	if err != nil {
		return err
	}
	defer rt.Close()
	if rt.Config.SecretKeyOld.IsZero() {
		return errors.New("TOLLGATE_SECRET_KEY_OLD is not set: there is no other key whose seals could be replaced")
	}
	sum, err := reseal.All(context.Background(), rt.Store, rt.Config.Sealer())
	if err != nil {
		return fmt.Errorf("%d things were sealed anew: %w", sum.Resealed(), err)
	}
	_, err = fmt.Fprintf(p.Stdout, "sealed anew: %d channels, %d second factors, %d jobs\nstill known by the old key only, until they are used: %d tokens, %d access keys\n",
		sum.Channels, sum.TOTPs, sum.Jobs, sum.Tokens, sum.AccessKeys)
	return err
}
