//go:build !linux

package chaos

import "errors"

// Without Linux the small disk cannot be mounted, and the fault disk-full is skipped.
func mountDisk(string) error { return errors.ErrUnsupported }

func unmountDisk(string) error { return errors.ErrUnsupported }

type ballast struct{}

func fill(string, int64) (ballast, error) { return ballast{}, errors.ErrUnsupported }

func (ballast) remove() error { return nil }
