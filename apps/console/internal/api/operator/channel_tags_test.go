package operator_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
)

func TestChannelTags_AreTrimmedListedAndChanged(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	body := map[string]any{"name": "tagged", "type": "echo", "dialects": []string{"chat"},
		"models": map[string]string{"gpt-4o-mini": "mini"}, "tags": []string{" eu west ", "paid"}}
	created := operator.Post("/api/operator/channels", body).Want(t, http.StatusCreated)
	consoletest.Equal(t, created, "eu west", "tags", 0)
	consoletest.Equal(t, created, "paid", "tags", 1)
	path := "/api/operator/channels/" + consoletest.Text(t, created, "id")

	found := func(tag string) int {
		return len(consoletest.Items(t, operator.Get("/api/operator/channels?tag="+tag).Want(t, http.StatusOK)))
	}
	for tag, want := range map[string]int{"eu%20west": 1, "%20paid": 1, "eu": 0, "Paid": 0} {
		if got := found(tag); got != want {
			t.Errorf("channels with the tag %q: got %d, want %d", tag, got, want)
		}
	}
	operator.Patch(path, map[string]any{"weight": 2}).Want(t, http.StatusOK)
	consoletest.Equal(t, operator.Get(path).Want(t, http.StatusOK), "eu west", "tags", 0)
	changed := operator.Patch(path, map[string]any{"tags": []string{"us"}}).Want(t, http.StatusOK)
	consoletest.Equal(t, changed, "us", "tags", 0)
	operator.Patch(path, map[string]any{"tags": []string{}}).Want(t, http.StatusOK)
	if got := found("us"); got != 0 {
		t.Errorf("channels with a removed tag: got %d", got)
	}
}

func TestChannelTags_RefusalsNameTheTag(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	body := map[string]any{"name": "tagged", "type": "echo", "dialects": []string{"chat"},
		"models": map[string]string{"gpt-4o-mini": "mini"}}
	path := "/api/operator/channels/" +
		consoletest.Text(t, operator.Post("/api/operator/channels", body).Want(t, http.StatusCreated), "id")
	for param, tags := range map[string][]string{
		"tags":    strings.Split("a b c d e f g h i j k", " "),
		"tags[3]": {"a", "b", "c", " "},
		"tags[1]": {"a", strings.Repeat("x", 41)},
		"tags[2]": {"a", "b", " a"},
		"tags[0]": {"a\tb"},
	} {
		operator.Patch(path, map[string]any{"tags": tags}).Refused(t, http.StatusBadRequest, param)
		body["name"], body["tags"] = "another", tags
		operator.Post("/api/operator/channels", body).Refused(t, http.StatusBadRequest, param)
	}
}
