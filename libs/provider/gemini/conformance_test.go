package gemini_test

import (
	"testing"

	"github.com/tollgate/tollgate/libs/provider/gemini"
	"github.com/tollgate/tollgate/libs/provider/providertest"
)

func TestConformance(t *testing.T) { providertest.Run(t, gemini.Provider{}) }
