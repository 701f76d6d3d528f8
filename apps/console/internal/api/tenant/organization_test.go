package tenant_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
)

func TestOrganizationUsage_HasTheShapeOfOpenAI(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	if _, err := s.Store.Rollup.DrainOutbox(t.Context(), tenant.SystemScope("test"), 0); err != nil {
		t.Fatal(err)
	}
	day := s.Acme.Log.CreatedAt.UTC().Truncate(24 * time.Hour)
	from := fmt.Sprintf("start_time=%d&end_time=%d", day.Unix(), day.Add(24*time.Hour).Unix())
	me := s.As(s.Acme.Admin)

	page := me.Get("/api/organization/usage/completions?"+from+"&group_by[]=model&group_by[]=project_id").
		Want(t, http.StatusOK)
	consoletest.Equal(t, page, "page", "object")
	consoletest.Equal(t, page, false, "has_more")
	consoletest.Equal(t, page, float64(day.Unix()), "data", 0, "start_time")
	for key, want := range map[string]any{
		"object": "organization.usage.completions.result", "input_tokens": 7.0, "output_tokens": 0.0,
		"num_model_requests": 1.0,
		"model":              "gpt-4o-mini", "project_id": s.Acme.ID.String(), "user_id": nil,
	} {
		consoletest.Equal(t, page, want, "data", 0, "results", 0, key)
	}
	keyed := me.Get("/api/organization/usage/completions?"+from+"&group_by=api_key_id&bucket_width=1h").
		Want(t, http.StatusOK)
	hours, _ := consoletest.At(t, keyed, "data").([]any)
	if len(hours) != 24 {
		t.Errorf("got %d hours", len(hours))
	}
	costs := me.Get("/api/organization/costs?"+from+"&group_by=line_item").Want(t, http.StatusOK)
	consoletest.Equal(t, costs, "organization.costs.result", "data", 0, "results", 0, "object")
	consoletest.Equal(t, costs, 0.000000893, "data", 0, "results", 0, "amount", "value")
	consoletest.Equal(t, costs, "usd", "data", 0, "results", 0, "amount", "currency")
	consoletest.Equal(t, costs, "gpt-4o-mini", "data", 0, "results", 0, "line_item")
}

// The totals include all tokens, as those of OpenAI do, and the other counts are parts of them.
func TestOrganizationUsage_CountsAudioInTheTotals(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	log := s.Call(&s.Acme, usage.Usage{Input: 100, CachedInput: 20, AudioInput: 5, Output: 40, AudioOutput: 6})
	if _, err := s.Store.Rollup.DrainOutbox(t.Context(), tenant.SystemScope("test"), 0); err != nil {
		t.Fatal(err)
	}
	day := log.CreatedAt.UTC().Truncate(24 * time.Hour)
	query := fmt.Sprintf("start_time=%d&end_time=%d", day.Unix(), day.Add(24*time.Hour).Unix())
	page := s.As(s.Acme.Admin).Get("/api/organization/usage/completions?"+query).Want(t, http.StatusOK)
	for key, want := range map[string]any{
		"input_tokens": 7.0 + 125, "input_cached_tokens": 20.0, "input_audio_tokens": 5.0, "output_tokens": 46.0,
		"output_audio_tokens": 6.0,
	} {
		consoletest.Equal(t, page, want, "data", 0, "results", 0, key)
	}
}

func TestOrganizationUsage_HasPages(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	me := s.As(s.Acme.Admin)
	first := me.Get("/api/organization/costs?start_time=86400&end_time=432000&limit=3").Want(t, http.StatusOK)
	consoletest.Equal(t, first, true, "has_more")
	last := me.Get("/api/organization/costs?start_time=86400&end_time=432000&limit=3&page="+
		consoletest.Text(t, first, "next_page")).Want(t, http.StatusOK)
	consoletest.Equal(t, last, false, "has_more")
	consoletest.Equal(t, last, 345600.0, "data", 0, "start_time")
	for query, param := range map[string]string{
		"": "start_time", "start_time=5&end_time=4": "start_time", "start_time=0&page=page_7": "page",
		"start_time=0&page=x":    "page",
		"start_time=0&limit=181": "limit", "start_time=0&bucket_width=1h": "bucket_width",
		"start_time=0&project_ids=x": "project_ids", "start_time=0&group_by=model": "group_by[0]",
	} {
		me.Get("/api/organization/costs?"+query).Refused(t, http.StatusBadRequest, param)
	}
	me.Get("/api/organization/usage/completions?start_time=0&limit=32").Refused(t, http.StatusBadRequest, "limit")
	me.Get("/api/organization/usage/completions?start_time=0&group_by=model&group_by=user_id").
		Refused(t, http.StatusBadRequest, "group_by")
}

// No tenant sees another one, whatever it asks for; operators see all.
func TestOrganizationUsage_StaysInTheTenant(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	if _, err := s.Store.Rollup.DrainOutbox(t.Context(), tenant.SystemScope("test"), 0); err != nil {
		t.Fatal(err)
	}
	day := s.Acme.Log.CreatedAt.UTC().Truncate(24 * time.Hour)
	from := fmt.Sprintf("start_time=%d&end_time=%d", day.Unix(), day.Add(24*time.Hour).Unix())
	for _, path := range []string{"/api/organization/usage/completions?", "/api/organization/costs?"} {
		s.As(s.Globex.Admin).Get(path+from+"&project_ids="+s.Acme.ID.String()).Want(t, http.StatusNotFound)
		projects, _ := consoletest.At(t, s.As(s.Operator).Get(path+from+"&group_by=project_id").Want(t, http.StatusOK),
			"data", 0, "results").([]any)
		if len(projects) != 2 {
			t.Errorf("%s: an operator sees %d projects, want 2", path, len(projects))
		}
	}
	for _, filter := range []string{"&user_ids=" + s.Acme.Member.ID.String(),
		"&api_key_ids=" + s.Acme.Token.ID.String()} {
		results, ok := consoletest.At(t, s.As(s.Globex.Admin).Get("/api/organization/usage/completions?"+from+filter).
			Want(t, http.StatusOK), "data", 0, "results").([]any)
		if !ok || len(results) != 0 {
			t.Errorf("%s: got %v", filter, results)
		}
	}
}
