package probe_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/probe"
	"github.com/tollgate/tollgate/libs/provider/registry"
	"github.com/tollgate/tollgate/libs/seal"
)

// manyModels returns a list of n models in OpenAI's form, with ids of about the given length.
func manyModels(n, length int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id":"m-%07d%s","object":"model"}`, i, strings.Repeat("x", length))
	}
	return `{"object":"list","data":[` + strings.Join(items, ",") + `]}`
}

func TestModels_ReadsTheListOfEachFamily(t *testing.T) {
	p := probe.New(seal.New([32]byte{1}), registry.Lookup, address.Policy{})
	for name, row := range map[string]struct {
		kind, answer string
		want         []string
		truncated    bool
	}{
		"openai":     {"openai", `{"object":"list","data":[{"id":"b"},{"id":"a"},{"id":"b"}]}`, []string{"a", "b"}, false},
		"bare array": {"openai", `[{"id":"a","name":{}},{"id":"b"}]`, []string{"a", "b"}, false},
		"azure":      {"azure", `{"data":[{"id":"gpt"}]}`, []string{"gpt"}, false},
		"anthropic":  {"anthropic", `{"data":[{"id":"claude"}],"has_more":true}`, []string{"claude"}, true},
		"all of it":  {"anthropic", `{"has_more":false,"data":[{"id":"claude"}]}`, []string{"claude"}, false},
		"gemini":     {"gemini", `{"models":[{"name":"models/g"}]}`, []string{"g"}, false},
		"next page":  {"gemini", `{"models":[{"name":"models/g"}],"nextPageToken":"x"}`, []string{"g"}, true},
		"no models":  {"openai", `{"data":[]}`, []string{}, false},
		"no ids": {"openai", `{"data":[{"id":7},{},{"id":"a\u0000"},{"id":"` + strings.Repeat("x", 201) + `"}]}`,
			[]string{}, false},
		"other fields": {"openai", `{"meta":{"data":[1]},"data":[{"id":"a"}]}`, []string{"a"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			channel, seen := upstream(t, 200, row.answer)
			channel.Type = row.kind
			list, result := p.Models(t.Context(), channel, p.Credentials(channel)[0])
			if result.Error != "" || !slices.Equal(list.IDs, row.want) || list.Truncated != row.truncated {
				t.Errorf("got %+v, %+v, want %v", list, result, row.want)
			}
			if seen.method != http.MethodGet || !strings.HasSuffix(seen.path, "/v1/models") {
				t.Errorf("got the request %s %s, want GET /v1/models", seen.method, seen.path)
			}
		})
	}
}

func TestModels_IsBoundedInItemsAndBytes(t *testing.T) {
	p := probe.New(seal.New([32]byte{1}), registry.Lookup, address.Policy{})
	for name, row := range map[string]struct {
		answer    string
		n         int
		truncated bool
	}{
		"1,000 models":  {manyModels(1000, 1), 1000, false},
		"1,001 models":  {manyModels(1001, 1), 1000, true},
		"a large field": {`{"data":[{"id":"a"}],"x":"` + strings.Repeat("y", 3<<20) + `"}`, 1, true},
		"few in a large list": {`{"data":[` + strings.Repeat(`{"id":"a","x":"`+strings.Repeat("y", 1<<16)+`"},`, 50) + `{}]}`,
			1, true},
		"more than 2 MiB": {manyModels(50_000, 20), 1000, true},
		"3 models":        {manyModels(3, 1), 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			channel, _ := upstream(t, 200, row.answer)
			list, result := p.Models(t.Context(), channel, probe.Credential{})
			if result.Error != "" || len(list.IDs) != row.n || list.Truncated != row.truncated {
				t.Errorf("got %d models, truncated %v, %+v, want %d, %v", len(list.IDs), list.Truncated, result, row.n,
					row.truncated)
			}
		})
	}
}

func TestModels_FailsWithoutTheCredential(t *testing.T) {
	p := probe.New(seal.New([32]byte{1}), registry.Lookup, address.Policy{})
	for name, row := range map[string]struct {
		status       int
		answer, word string
	}{
		"refused":            {401, `{"error":{"message":"bad key ` + secret + `"}}`, probe.ErrorCredential},
		"no such path":       {404, secret, probe.ErrorRejected},
		"failure":            {500, `{}`, probe.ErrorStatus},
		"a page":             {200, `<html>` + secret + `</html>`, probe.ErrorMalformed},
		"another object":     {200, `{"error":"` + secret + `"}`, probe.ErrorMalformed},
		"no list":            {200, `{"data":{"id":"a"}}`, probe.ErrorMalformed},
		"a list of numbers":  {200, `{"data":[1]}`, probe.ErrorMalformed},
		"cut off, but short": {200, `{"data":[{"id":"a"},`, probe.ErrorMalformed},
		"nothing":            {200, ``, probe.ErrorMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			channel, _ := upstream(t, row.status, row.answer)
			list, result := p.Models(t.Context(), channel, p.Credentials(channel)[0])
			if result.Error != row.word || len(list.IDs) > 0 {
				t.Errorf("got %+v, %+v, want %s", list, result, row.word)
			}
			if strings.Contains(result.Detail, secret) {
				t.Errorf("the result shows the credential: %s", result.Detail)
			}
		})
	}
	for _, channel := range []*catalog.Channel{{Type: "echo"}, {Type: "unknown"}} {
		if _, result := p.Models(t.Context(), channel, probe.Credential{}); result.Error != probe.ErrorUnsupported {
			t.Errorf("%s: got %+v, want %s", channel.Type, result, probe.ErrorUnsupported)
		}
	}
}

// The list arrives forever, so only the end of the time ends it.
func TestModels_IsBoundedInTime(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"data":[{"id":"a"},`))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond) // in place of the 10 s of Timeout
	defer cancel()
	p := probe.New(seal.New([32]byte{1}), registry.Lookup, address.Policy{})
	list, result := p.Models(ctx, &catalog.Channel{Type: "openai", BaseURL: server.URL}, probe.Credential{})
	if result.Error != probe.ErrorTimedOut || len(list.IDs) > 0 {
		t.Errorf("got %+v, %+v, want %s", list, result, probe.ErrorTimedOut)
	}
}
