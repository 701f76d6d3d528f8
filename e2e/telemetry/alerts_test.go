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

// promtool returns the path of promtool. Without it the test is skipped; with TEST_REQUIRE=all it fails.
func promtool(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(root, "bin", "promtool"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		const missing = "bin/promtool is missing: `make bin/promtool` builds it"
		if os.Getenv("TEST_REQUIRE") == "all" {
			t.Fatal("TEST_REQUIRE=all, but " + missing)
		}
		t.Skip(missing)
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
