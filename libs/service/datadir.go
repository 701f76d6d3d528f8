package service

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tollgate/tollgate/libs/config"
)

const secretFile = "secret.key"

// makeDataDir makes standalone's data dir and, unless the environment gives
// one, the secret key in it, once.
func makeDataDir(c *config.Config) error {
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("data dir: %w", err)
	}
	if !c.SecretKey.IsZero() {
		return nil
	}
	var made config.Secret
	_, _ = rand.Read(made[:]) // never fails: crypto/rand ends the program instead
	path := filepath.Join(c.DataDir, secretFile)
	text, err := KeepOnce(path, []byte(made.Base64()+"\n"))
	if err != nil {
		return fmt.Errorf("secret key: %w", err)
	}
	if err := c.SecretKey.UnmarshalText([]byte(strings.TrimSpace(string(text)))); err != nil {
		return fmt.Errorf("secret key: %s %w", path, err)
	}
	return nil
}

// KeepOnce writes content to a file that only its owner may read, unless the
// file exists, and returns what the file then holds. The file is whole at every
// moment: of two processes that create it at once, one wins for both.
func KeepOnce(path string, content []byte) ([]byte, error) {
	kept, err := keepOnce(path, content)
	if err != nil {
		return nil, fmt.Errorf("keep file: %w", err) // err names the path
	}
	return kept, nil
}

func keepOnce(path string, content []byte) ([]byte, error) {
	if kept, err := os.ReadFile(path); !errors.Is(err, fs.ErrNotExist) {
		return kept, err
	}
	temporary, err := writeTemporary(path, content)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(temporary) }() // a leftover harms nobody
	if err := os.Link(temporary, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// writeTemporary writes a file beside path, with mode 0600, to the disk.
func writeTemporary(path string, content []byte) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		_ = os.Remove(file.Name()) // a leftover harms nobody
		return "", err
	}
	return file.Name(), nil
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
