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

// promtool builds promtool and returns its path. It leaves out the discovery of targets at cloud providers,
// which is most of the code of promtool.
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

func TestAlerts_FireInTheirHistories(t *testing.T) {
	t.Parallel()
	test := exec.CommandContext(t.Context(), promtool(t), "test", "rules", filepath.Join(root, alertTests))
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("promtool test rules: %v\n%s", err, out)
	}
}

// Each alert has a history in which it fires and one in which it does not.
func TestAlerts_AreTestedBothWays(t *testing.T) {
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
				t.Errorf("the test %q tests the alert %s: begin its name with the alert's", test.Name, rule.Alert)
			}
			fires[rule.Alert] = fires[rule.Alert] || len(rule.Expects) > 0
			quiet[rule.Alert] = quiet[rule.Alert] || len(rule.Expects) == 0
		}
	}
	for _, rule := range allOf(t) {
		if rule.Alert != "" && (!fires[rule.Alert] || !quiet[rule.Alert]) {
			t.Errorf("%s: want a history in which %s fires and one in which it does not", alertTests, rule.Alert)
		}
	}
}
