package service

import (
	"io/fs"
	"testing"
)

func TestContainerLimit_ReadsBothVersions(t *testing.T) {
	t.Parallel()
	const v2, v1 = "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"
	for _, row := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no control groups", nil, 0},
		{"version 2, limited", map[string]string{v2: "536870912\n"}, 536870912},
		{"version 2, not limited", map[string]string{v2: "max\n"}, 0},
		{"version 1, limited", map[string]string{v1: "536870912\n"}, 536870912},
		{"version 1, not limited", map[string]string{v1: "9223372036854771712\n"}, 0},
		{"nonsense", map[string]string{v2: "?"}, 0},
	} {
		read := func(path string) ([]byte, error) {
			text, ok := row.files[path]
			if !ok {
				return nil, fs.ErrNotExist
			}
			return []byte(text), nil
		}
		if got := containerLimit(read); got != row.want {
			t.Errorf("%s: %d, want %d", row.name, got, row.want)
		}
	}
}
