package openai_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/provider/openai"
	"github.com/tollgate/tollgate/libs/provider/providertest"
)

func TestConformance(t *testing.T) { providertest.Run(t, openai.Provider{}) }
