package telemetry

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const alertTests = "deploy/prometheus/alerts_test.yaml"

// promtool builds promtool and returns its path. It leaves out the code that finds
// targets at cloud providers, which is most of promtool.
func promtool(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(root, "bin", "promtool"))
	if err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "remove_all_sd", "-o", program, "github.com/prometheus/prometheus/cmd/promtool")
	build.Dir = filepath.Join(root, "tools", "promtool")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build promtool: %v\n%s", err, out)
	}
	return program
}

func TestAlertsFire(t *testing.T) {
	t.Parallel()
	test := exec.CommandContext(t.Context(), promtool(t), "test", "rules", filepath.Join(root, alertTests))
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("promtool test rules: %v\n%s", err, out)
	}
}

// TestEveryAlertIsTested: each alert has a history in which it fires and one in
// which it does not.
func TestEveryAlertIsTested(t *testing.T) {
	t.Parallel()
	var file struct {
		Tests []struct {
			Name  string
			Rules []struct {
				Alert   string `yaml:"alertname"`
				Expects []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	if err := yaml.Unmarshal(read(t, alertTests), &file); err != nil {
		t.Fatal(err)
	}
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, test := range file.Tests {
		for _, rule := range test.Rules {
			if !strings.HasPrefix(test.Name, rule.Alert+", ") {
				t.Errorf("the test %q is of the alert %s", test.Name, rule.Alert)
			}
			fires[rule.Alert] = fires[rule.Alert] || len(rule.Expects) > 0
			quiet[rule.Alert] = quiet[rule.Alert] || len(rule.Expects) == 0
		}
	}
	for _, rule := range allOf(t) {
		if rule.Alert != "" && (!fires[rule.Alert] || !quiet[rule.Alert]) {
			t.Errorf("%s: no history in which %s fires, or none in which it does not", alertTests, rule.Alert)
		}
	}
}
