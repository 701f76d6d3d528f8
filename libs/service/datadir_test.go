package service

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tollgate/tollgate/libs/config"
)

func TestMakeDataDir_CreatesTheSecretKeyOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "data")
	first, second := config.Config{DataDir: dir}, config.Config{DataDir: dir}
	for _, c := range []*config.Config{&first, &second} {
		if err := makeDataDir(c); err != nil {
			t.Fatal(err)
		}
	}
	if first.SecretKey.IsZero() || first.SecretKey != second.SecretKey {
		t.Error("the second start has a different key")
	}
	for path, want := range map[string]fs.FileMode{dir: 0o700, filepath.Join(dir, secretFile): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", path, info.Mode().Perm(), err, want)
		}
	}
}

func TestMakeDataDir_DoesNotWriteAGivenSecretKey(t *testing.T) {
	t.Parallel()
	c := config.Config{DataDir: t.TempDir(), SecretKey: config.Secret{1}}
	if err := makeDataDir(&c); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(c.DataDir, secretFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the key was written: %v", err)
	}
}

func TestMakeDataDir_RefusesADamagedSecretKey(t *testing.T) {
	t.Parallel()
	c := config.Config{DataDir: t.TempDir()}
	path := filepath.Join(c.DataDir, secretFile)
	if err := os.WriteFile(path, []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := makeDataDir(&c)
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("err = %v", err)
	}
	if kept, _ := os.ReadFile(path); string(kept) != "hunter2" {
		t.Error("the file was changed")
	}
}

func TestKeepOnce_ReturnsOneContentToAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := make([]string, 16)
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() {
			kept, err := KeepOnce(filepath.Join(dir, "file"), []byte(strings.Repeat(string(rune('a'+i)), 1000)))
			if err != nil {
				t.Error(err)
			}
			got[i] = string(kept)
		})
	}
	all.Wait()
	for _, kept := range got {
		if kept != got[0] || len(kept) != 1000 {
			t.Fatalf("different contents: %.3s... and %.3s...", kept, got[0])
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files are left, want 1", len(entries))
	}
}
