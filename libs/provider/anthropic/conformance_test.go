package anthropic_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/provider/anthropic"
	"github.com/tollgate/tollgate/libs/provider/providertest"
)

func TestConformance(t *testing.T) { providertest.Run(t, anthropic.Provider{}) }
