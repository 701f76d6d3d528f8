package moment_test

import (
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/moment"
)

func TestCheck_CountsYearsInUTC(t *testing.T) {
	for text, allowed := range map[string]bool{
		"1970-01-01T00:00:00Z":      true,
		"1970-01-01T00:00:00-00:01": true,
		"1970-01-01T00:00:00+00:01": false,
		"9998-12-31T23:59:59.999Z":  true,
		"9998-12-31T23:59:59-00:01": false,
		"9999-01-01T00:00:00+00:01": true,
		"9999-12-31T23:59:59-23:59": false,
		"0001-01-01T00:00:00Z":      false,
		"0000-01-01T00:00:00Z":      false,
		"2030-06-01T00:00:00+23:59": true,
	} {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		if err := moment.Check(at); (err == nil) != allowed {
			t.Errorf("%s: got %v, want allowed = %v", text, err, allowed)
		}
	}
}
