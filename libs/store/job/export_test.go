package job

import (
	"testing"

	"github.com/google/uuid"
)

// CountJobParts counts the rows of job_parts.
func CountJobParts(t testing.TB, s *Store) int64 {
	t.Helper()
	n, err := s.db.NewSelect().Table("job_parts").Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// JobInput returns the stored input of a job.
func JobInput(t testing.TB, s *Store, id uuid.UUID) string {
	t.Helper()
	var input []byte
	if err := s.db.NewSelect().Table("jobs").Column("input").Where("id = ?", id).Scan(t.Context(), &input); err != nil {
		t.Fatal(err)
	}
	return string(input)
}
