package service

import (
	"io/fs"
	"testing"
)

func TestContainerLimit_ReadsBothVersions(t *testing.T) {
	t.Parallel()
	const unit = "/sys/fs/cgroup/system.slice/tollgate.service/memory.max"
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
		{"a service of systemd", map[string]string{"/proc/self/cgroup": "0::/system.slice/tollgate.service\n",
			unit: "536870912\n"}, 536870912},
		{"a lower limit above the service", map[string]string{
			"/proc/self/cgroup": "0::/system.slice/tollgate.service\n", unit: "536870912\n",
			"/sys/fs/cgroup/system.slice/memory.max": "1000\n",
		}, 1000},
		{"no limit above the service", map[string]string{
			"/proc/self/cgroup": "1:name=systemd:/\n0::/system.slice/tollgate.service\n", unit: "1000\n",
			"/sys/fs/cgroup/system.slice/memory.max": "max\n",
		}, 1000},
	} {
		if got := containerLimit(readerOf(row.files)); got != row.want {
			t.Errorf("%s: %d, want %d", row.name, got, row.want)
		}
	}
}

func TestMemory_IsTheLimitOfTheContainerOrElseTheMachine(t *testing.T) {
	t.Parallel()
	const limit, machine = "/sys/fs/cgroup/memory.max", "/proc/meminfo"
	const text = "MemTotal:       24684568 kB\nMemFree:          100000 kB\n"
	for _, row := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"a limited container", map[string]string{limit: "1073741824\n", machine: text}, 1 << 30},
		{"a container without a limit", map[string]string{limit: "max\n", machine: text}, 24684568 << 10},
		{"a machine", map[string]string{machine: text}, 24684568 << 10},
		{"a machine without the file", nil, 0},
		{"a file without the line", map[string]string{machine: "MemFree: 1 kB\n"}, 0},
		{"a malformed number", map[string]string{machine: "MemTotal: -1 kB\n"}, 0},
	} {
		if got := memory(readerOf(row.files)); got != row.want {
			t.Errorf("%s: %d, want %d", row.name, got, row.want)
		}
	}
}

// readerOf returns a function like os.ReadFile for files with the given texts.
func readerOf(files map[string]string) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
}
