package standalone

import (
	"context"
	"crypto/rand"
	_ "embed" // the catalogues
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/tollgate/tollgate/libs/boot"
)

//go:embed demo.yaml
var demoCatalogue []byte

//go:embed openai.yaml
var openAICatalogue []byte

const (
	demoFile  = "demo.json"
	demoModel = "echo-1"

	ownerLogin    = "owner@demo.example"
	operatorLogin = "operator@demo.example"

	openAIKey      = "OPENAI_API_KEY"
	openAIBase     = "OPENAI_BASE_URL"
	openAIOfficial = "https://api.openai.com/v1"
)

// demo holds the demo catalogue's credentials, made at the first start. Nobody
// shares them: there are no default ones.
type demo struct {
	OwnerPassword    string `json:"owner_password"`
	OperatorPassword string `json:"operator_password"`
	Token            string `json:"token"`
}

// keptDemo returns the credentials in the data dir, made there if need be.
func keptDemo(dataDir string) (*demo, error) {
	fresh, err := json.MarshalIndent(demo{
		OwnerPassword: rand.Text(), OperatorPassword: rand.Text(), Token: "demo-" + rand.Text(),
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dataDir, demoFile)
	text, err := boot.KeepOnce(path, append(fresh, '\n'))
	if err != nil {
		return nil, fmt.Errorf("demo credentials: %w", err)
	}
	kept := &demo{}
	if err := json.Unmarshal(text, kept); err != nil {
		return nil, fmt.Errorf("demo credentials: %s: %w", path, err)
	}
	return kept, nil
}

// apply applies the demo catalogue and, where its key is set, OpenAI's channel.
func (d *demo) apply(ctx context.Context, to boot.Target) (boot.Applied, error) {
	outer := to.Lookup
	own := map[string]string{
		"DEMO_OWNER_PASSWORD": d.OwnerPassword, "DEMO_OPERATOR_PASSWORD": d.OperatorPassword, "DEMO_TOKEN": d.Token,
	}
	to.Lookup = func(name string) (string, bool) {
		if value, ok := own[name]; ok {
			return value, true
		}
		value, ok := outer(name)
		if name == openAIBase && value == "" {
			return openAIOfficial, true
		}
		return value, ok
	}
	applied, err := boot.ApplyText(ctx, "demo.yaml", demoCatalogue, to)
	if err != nil {
		return applied, err
	}
	if key, _ := outer(openAIKey); key == "" {
		return applied, nil
	}
	more, err := boot.ApplyText(ctx, "openai.yaml", openAICatalogue, to)
	applied.Changes += more.Changes
	applied.Warnings = append(applied.Warnings, more.Warnings...)
	return applied, err
}
