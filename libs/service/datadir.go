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

// makeDataDir creates standalone's data directory. Unless the environment gives a secret key, it also sets c.SecretKey
// to the one in that directory, which it generates at the first start.
func makeDataDir(c *config.Config) error {
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return fmt.Errorf("create data directory: %w", err)
	}
	if !c.SecretKey.IsZero() {
		return nil
	}
	var secret config.Secret
	_, _ = rand.Read(secret[:]) // it never returns an error; if the system has no random source, the program crashes
	path := filepath.Join(c.DataDir, secretFile)
	text, err := KeepOnce(path, []byte(secret.Base64()+"\n"))
	if err != nil {
		return fmt.Errorf("secret key: %w", err)
	}
	if err := c.SecretKey.UnmarshalText([]byte(strings.TrimSpace(string(text)))); err != nil {
		return fmt.Errorf("secret key: %s %w", path, err)
	}
	return nil
}

// KeepOnce writes content to a file that only its owner can read, unless the file exists, and returns the content that
// the file then has. Other processes see either no file or the complete one. If two processes create it at the same
// time, both return the content of the first.
func KeepOnce(path string, content []byte) ([]byte, error) {
	text, err := keepOnce(path, content)
	if err != nil {
		return nil, fmt.Errorf("create file: %w", err) // err names the path
	}
	return text, nil
}

// keepOnce implements KeepOnce. It writes a temporary file first and then links it to path.
func keepOnce(path string, content []byte) ([]byte, error) {
	if text, err := os.ReadFile(path); !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	temporary, err := writeTemporary(path, content)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(temporary) }() // best effort: a leftover does no harm
	// A hard link fails if path exists, where a rename would replace the file of another process.
	if err := os.Link(temporary, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// writeTemporary writes content to a new file in the directory of path, with mode 0600, flushes it to disk and returns
// its name.
func writeTemporary(path string, content []byte) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		_ = os.Remove(file.Name()) // best effort: a leftover does no harm
		return "", err
	}
	return file.Name(), nil
}

// syncDir flushes a directory, so that a new file in it survives a crash of the machine.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
