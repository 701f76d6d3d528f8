package standalone

import (
	"context"
	"crypto/rand"
	_ "embed" // the manifests
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/tollgate/tollgate/libs/manifest"
	"github.com/tollgate/tollgate/libs/service"
)

//go:embed demo.yaml
var demoManifest []byte

//go:embed openai.yaml
var openAIManifest []byte

//go:embed anthropic.yaml
var anthropicManifest []byte

//go:embed gemini.yaml
var geminiManifest []byte

const (
	demoFile  = "demo.json" // file in the data directory that keeps the demo's credentials
	demoModel = "echo-1"

	ownerLogin    = "owner@demo.example"
	operatorLogin = "operator@demo.example"
)

// extra is a channel of a real provider. The demo has it if the provider's API key is in the environment.
type extra struct {
	key      string // environment variable of the API key
	base     string // environment variable of the base URL
	official string // base URL if that variable is not set
	file     string // name of the manifest in errors
	manifest []byte
}

// extras returns the channels of real providers that the demo supports.
func extras() []extra {
	return []extra{
		{"OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1", "openai.yaml", openAIManifest},
		{"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com/v1", "anthropic.yaml",
			anthropicManifest},
		{"GEMINI_API_KEY", "GEMINI_BASE_URL", "https://generativelanguage.googleapis.com/v1beta", "gemini.yaml",
			geminiManifest},
	}
}

// demo holds the credentials of the demo manifest. They are generated for each installation at its first start; there
// are no default passwords.
type demo struct {
	OwnerPassword    string `json:"owner_password"`
	OperatorPassword string `json:"operator_password"`
	Token            string `json:"token"`

	path string // file that holds these
}

// loadDemo returns the demo's credentials from the data directory. At the first start it generates and stores them.
func loadDemo(dataDir string) (*demo, error) {
	draft, err := json.MarshalIndent(demo{
		OwnerPassword: rand.Text(), OperatorPassword: rand.Text(), Token: "demo-" + rand.Text(),
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("demo credentials: %w", err)
	}
	path := filepath.Join(dataDir, demoFile)
	text, err := service.KeepOnce(path, append(draft, '\n'))
	if err != nil {
		return nil, fmt.Errorf("demo credentials: %w", err)
	}
	d := &demo{path: path}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("demo credentials: %s: %w", path, err)
	}
	return d, nil
}

// apply applies the demo manifest, and the manifests of the real providers whose API keys are set.
func (d *demo) apply(ctx context.Context, to manifest.Target) (manifest.Applied, error) {
	outer := to.Lookup
	to.Lookup = d.lookup(outer)
	outcome, err := manifest.ApplyText(ctx, "demo.yaml", demoManifest, to)
	if err != nil {
		return outcome, err
	}
	for _, e := range extras() {
		if key, _ := outer(e.key); key == "" {
			continue
		}
		extra, err := manifest.ApplyText(ctx, e.file, e.manifest, to)
		outcome.Changes = append(outcome.Changes, extra.Changes...)
		outcome.Warnings = append(outcome.Warnings, extra.Warnings...)
		if err != nil {
			return outcome, err
		}
	}
	return outcome, nil
}

// lookup returns a function that looks up variables for the demo's manifests: the demo's credentials, the environment,
// and the official base URLs for those that the environment does not set.
func (d *demo) lookup(outer func(string) (string, bool)) func(string) (string, bool) {
	values := map[string]string{
		"DEMO_OWNER_PASSWORD": d.OwnerPassword, "DEMO_OPERATOR_PASSWORD": d.OperatorPassword, "DEMO_TOKEN": d.Token,
	}
	official := map[string]string{}
	for _, e := range extras() {
		official[e.base] = e.official
	}
	return func(name string) (string, bool) {
		if value, ok := values[name]; ok {
			return value, true
		}
		value, ok := outer(name)
		if at, isOfficial := official[name]; isOfficial && value == "" {
			return at, true
		}
		return value, ok
	}
}
