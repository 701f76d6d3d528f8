// Package scan tests the script that make audit runs.
package scan

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fake returns a folder with programs that print a text and exit with a status, given as "status text" by name.
func fake(t *testing.T, programs map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, answer := range programs {
		status, text, _ := strings.Cut(answer, " ")
		script := "#!/bin/sh\necho '" + text + "'\nexit " + status + "\n"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestScan_NeverCallsCleanWhatItCouldNotCheck(t *testing.T) {
	t.Parallel()
	// The reports have the form that npm writes (@npmcli/arborist, AuditReport.toJSON).
	npm := func(status, vulnerable, dependencies int) string {
		return fmt.Sprintf(`%d {
  "auditReportVersion": 2,
  "vulnerabilities": {},
  "metadata": {
    "vulnerabilities": {"info": 0, "low": %[2]d, "moderate": 0, "high": 0, "critical": 0, "total": %[2]d},
    "dependencies": {"prod": 1, "dev": 2, "optional": 0, "peer": 0, "peerOptional": 0, "total": %d}
  }
}`, status, vulnerable, dependencies)
	}
	npmClean, npmBad := npm(0, 0, 3), npm(1, 1, 3)
	const npmAway = `1 {"message": "request to https://registry.example failed", "error": {"summary": "", "detail": ""}}`
	for name, row := range map[string]struct {
		programs map[string]string
		status   int
		says     []string
	}{
		"all clean": {map[string]string{"govulncheck": "0 none", "npm": npmClean, "trivy": "0 none"}, 0,
			[]string{"clean        Go: libs", "clean        npm: apps/console/web", "clean        image: a"}},
		"a Go vulnerability": {map[string]string{"govulncheck": "3 GO-2026-1", "npm": npmClean, "trivy": "0 none"},
			1, []string{"VULNERABLE   Go: libs", "GO-2026-1"}},
		"an npm vulnerability": {map[string]string{"govulncheck": "0 none", "npm": npmBad, "trivy": "0 none"}, 1,
			[]string{"VULNERABLE   npm: apps/console/web"}},
		"a vulnerable image": {map[string]string{"govulncheck": "0 none", "npm": npmClean, "trivy": "5 CVE-2026-1"},
			1, []string{"VULNERABLE   image: a", "CVE-2026-1"}},
		"a database is down": {map[string]string{"govulncheck": "1 dial tcp: no such host", "npm": npmAway,
			"trivy": "1 no database"}, 3, []string{"not checked  Go: libs: dial tcp: no such host",
			"not checked  npm: apps/console/web", "not checked  image: a: no database"}},
		"no scanner": {map[string]string{"govulncheck": "0 none", "npm": npmClean}, 3,
			[]string{"not checked  image: a: neither trivy nor grype is installed"}},
		"npm without an answer": {map[string]string{"govulncheck": "0 none", "npm": "0 {}", "trivy": "0 none"}, 3,
			[]string{"not checked  npm: apps/console/web"}},
		"npm below its level": {map[string]string{"govulncheck": "0 none", "npm": npm(0, 1, 3), "trivy": "0 none"}, 1,
			[]string{"VULNERABLE   npm: apps/console/web"}},
		"npm checked nothing": {map[string]string{"govulncheck": "0 none", "npm": npm(0, 0, 0), "trivy": "0 none"}, 3,
			[]string{"not checked  npm: apps/console/web"}},
		"grype finds": {map[string]string{"govulncheck": "0 none", "npm": npmClean, "grype": "2 CVE-2026-2"},
			1, []string{"VULNERABLE   image: a", "CVE-2026-2"}},
		"grype has no database": {map[string]string{"govulncheck": "0 none", "npm": npmClean,
			"grype": "1 failed to load vulnerability db"}, 3,
			[]string{"not checked  image: a: failed to load vulnerability db"}},
		"one bad, one away": {map[string]string{"govulncheck": "3 GO-2026-1", "npm": npmAway, "trivy": "0 none"}, 1,
			[]string{"VULNERABLE   Go: libs", "not checked  npm"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := fake(t, row.programs)
			command := exec.CommandContext(t.Context(), "./scan", "a")
			command.Env = []string{"PATH=" + folder + ":/usr/bin:/bin",
				"GOVULNCHECK=" + filepath.Join(folder, "govulncheck")}
			out, err := command.CombinedOutput()
			status := 0
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				status = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if status != row.status {
				t.Errorf("got status %d, want %d:\n%s", status, row.status, out)
			}
			for _, text := range row.says {
				if !strings.Contains(string(out), text) {
					t.Errorf("the output does not contain %q:\n%s", text, out)
				}
			}
		})
	}
}
