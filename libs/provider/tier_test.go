package provider_test

import (
	"net/url"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/provider"
)

func TestOrdinaryTier_IsKnownOfProvidersThatChooseOne(t *testing.T) {
	for _, c := range []struct {
		kind, base, version string
		name                string
		chooses             bool
	}{
		{"openai", "https://api.openai.com/v1", "", "default", true},
		{"openai", "https://eu.api.openai.com/v1", "", "default", true},
		{"openai", "https://api.openai.com.example/v1", "", "default", false},
		{"openai", "http://127.0.0.1:8000/v1", "", "default", false},
		{"openai", "https://api.groq.com/openai/v1", "", "on_demand", false},
		{"azure", "https://r.openai.azure.com", "", "default", true},
		{"azure", "https://r.openai.azure.com", "preview", "default", true},
		{"azure", "https://r.openai.azure.com", "2025-10-01-preview", "default", true},
		{"azure", "https://r.openai.azure.com", "2024-10-21", "default", false},
		{"anthropic", "https://api.anthropic.com/v1", "", "standard_only", true},
		{"anthropic", "https://api.deepseek.com/anthropic/v1", "", "standard_only", false},
		{"gemini", "https://generativelanguage.googleapis.com/v1beta", "", "", false},
		{"echo", "", "", "", false},
	} {
		base, err := url.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		channel := catalog.Channel{Type: c.kind, Settings: catalog.Settings{APIVersion: c.version}}
		if name, chooses := provider.OrdinaryTier(&channel, base); name != c.name || chooses != c.chooses {
			t.Errorf("%s %s %s: got %q, %v, want %q, %v", c.kind, c.base, c.version, name, chooses, c.name, c.chooses)
		}
	}
	if name, chooses := provider.OrdinaryTier(&catalog.Channel{Type: "openai"}, nil); name != "default" || chooses {
		t.Errorf("without a base URL: got %q, %v", name, chooses)
	}
}
