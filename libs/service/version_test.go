package service

import (
	"runtime/debug"
	"testing"
)

func TestDevelopment_NamesTheCommitOfTheBuild(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}
	for _, row := range []struct {
		condition string
		settings  []debug.BuildSetting
		want      string
	}{
		{"not built from a git checkout", nil, release + "-dev"},
		{"clean checkout", []debug.BuildSetting{revision, {Key: "vcs.modified", Value: "false"}},
			release + "-dev.0123456789ab"},
		{"checkout with changes", []debug.BuildSetting{{Key: "vcs.modified", Value: "true"}, revision},
			release + "-dev.0123456789ab.dirty"},
	} {
		if got := development(row.settings); got != row.want {
			t.Errorf("%s: got %q, want %q", row.condition, got, row.want)
		}
	}
}
