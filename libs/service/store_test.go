package service

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetry_WaitsOnlyAfterAFailure(t *testing.T) {
	t.Parallel()
	for failures, want := range map[int]time.Duration{0: 0, 2: 2 * storeRetry} {
		synctest.Test(t, func(t *testing.T) {
			begun, tries := time.Now(), 0
			err := retry(t.Context(), slog.New(slog.DiscardHandler), func(context.Context) error {
				if tries++; tries <= failures {
					return errors.New("not yet")
				}
				return nil
			})
			if took := time.Since(begun); err != nil || took != want {
				t.Errorf("%d failures: took %v, want %v; err %v", failures, took, want, err)
			}
		})
	}
}
