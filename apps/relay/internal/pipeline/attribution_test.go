package pipeline_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// allowTags sets the keys of metadata that are tags at the tenant.
func allowTags(h *relaytest.Relay, slug, names string) {
	h.T.Helper()
	scope := tenant.SystemScope("test")
	found, err := h.Store.Identity.TenantBySlug(h.T.Context(), scope, slug)
	if err != nil {
		h.T.Fatal(err)
	}
	if _, err := h.Store.Identity.UpdateTenant(h.T.Context(), scope, found.ID,
		identity.TenantPatch{MetadataTags: &names}); err != nil {
		h.T.Fatal(err)
	}
}

func TestAttribution_IsInTheUsageLogAndNotAtTheUpstream(t *testing.T) {
	h := relaytest.New(t)
	allowTags(h, "acme", "feature,customer")
	var leaked atomic.Value
	h.ServeFirst(func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if strings.HasPrefix(strings.ToLower(name), "x-tollgate") {
				leaked.Store(name)
			}
		}
		relaytest.Answer(w, r)
	})
	long := strings.Repeat("é", 100)
	for name, c := range map[string]struct {
		more    string
		headers []string
		endUser string
		tags    usage.Tags
	}{
		"nothing":                       {"", nil, "", ""},
		"user":                          {`,"user":"u-1"`, nil, "u-1", ""},
		"safety_identifier before user": {`,"user":"u-1","safety_identifier":"s-1"`, nil, "s-1", ""},
		"safety_identifier, then user":  {`,"safety_identifier":"s-1","user":"u-1"`, nil, "s-1", ""},
		"an empty safety_identifier":    {`,"safety_identifier":"","user":"u-1"`, nil, "u-1", ""},
		"escapes":                       {`,"user":"\u00fc\"\\"`, nil, `ü"\`, ""},
		"a user that is too long":       {`,"user":"` + long + `"`, nil, strings.Repeat("é", 64), ""},
		"a user with a NUL":             {`,"user":"a\u0000b"`, nil, "", ""},
		"a user of another type":        {`,"user":7`, nil, "", ""},
		"headers": {"", []string{"x-tollgate-tag-team", "Blue", "X-Tollgate-Tag-Zone",
			`a"b`}, "", `{"team":"Blue","zone":"a\"b"}`},
		"metadata": {`,"metadata":{"feature":"search","secret":"x","customer":"c\u0031"}`,
			nil, "", `{"customer":"c1","feature":"search"}`},
		"a header and metadata": {`,"metadata":{"feature":"body"}`,
			[]string{"x-tollgate-tag-feature", "header"}, "", `{"feature":"header"}`},
		"metadata that is too long or no text": {`,"metadata":{"feature":"` + long + `","customer":5}`, nil, "",
			usage.Tags(`{"feature":"` + strings.Repeat("é", 64) + `"}`)},
		"metadata of another type":         {`,"metadata":"feature"`, nil, "", ""},
		"metadata with control characters": {`,"metadata":{"feature":"a\nb"}`, nil, "", ""},
	} {
		got := h.Post(token, relaytest.ChatBody("cheap", c.more), c.headers...)
		if got.Status != http.StatusOK {
			t.Errorf("%s: got %d %s", name, got.Status, got.Body)
			continue
		}
		if log := h.Log(got); log.EndUser != c.endUser || log.Tags != c.tags {
			t.Errorf("%s: got %q and %s, want %q and %s", name, log.EndUser, log.Tags, c.endUser, c.tags)
		}
	}
	if name := leaked.Load(); name != nil {
		t.Errorf("the upstream got the header %s", name)
	}
	got := h.Do(http.MethodPost, relaytest.ResponsesPath, token,
		`{"model":"cheap","input":"hi","safety_identifier":"s-2","metadata":{"feature":"chat"}}`)
	if log := h.Log(got); log.EndUser != "s-2" || log.Tags != `{"feature":"chat"}` {
		t.Errorf("responses: got %q and %s", log.EndUser, log.Tags)
	}
}

// The tenant small allows no keys of metadata, whatever another tenant allows.
func TestAttribution_OfMetadataIsASettingOfEachTenant(t *testing.T) {
	h := relaytest.New(t)
	allowTags(h, "acme", "feature")
	got := h.Post(relaytest.SmallToken, relaytest.ChatBody("cheap", `,"max_tokens":64,"metadata":{"feature":"search"}`))
	if log := h.Log(got); got.Status != http.StatusOK || log.Tags != "" {
		t.Errorf("got %d, tags %s", got.Status, log.Tags)
	}
}

func TestAttribution_RefusesAMalformedTagAndNamesTheHeader(t *testing.T) {
	h := relaytest.New(t)
	nine := []string{}
	for _, c := range "abcdefghi" {
		nine = append(nine, "x-tollgate-tag-"+string(c), "1")
	}
	for name, c := range map[string]struct {
		headers []string
		want    string
	}{
		"a name with a dot": {[]string{"x-tollgate-tag-a.b", "1"}, `"param":"x-tollgate-tag-a.b"`},
		"a long value":      {[]string{"x-tollgate-tag-a", strings.Repeat("x", 129)}, `"param":"x-tollgate-tag-a"`},
		"an empty value":    {[]string{"x-tollgate-tag-a", ""}, `"param":"x-tollgate-tag-a"`},
		"nine tags":         {nine, `up to 8 tags`},
	} {
		got := h.Post(token, relaytest.ChatBody("cheap", ""), c.headers...)
		if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, c.want) ||
			!strings.Contains(got.Body, `"code":"invalid_type"`) {
			t.Errorf("%s: got %d %s", name, got.Status, got.Body)
		}
		got = h.Do("POST", "/v1/responses/input_tokens", token, `{"model":"cheap","input":"hello"}`, c.headers...)
		if got.Status != http.StatusBadRequest || !strings.Contains(got.Body, c.want) {
			t.Errorf("%s of a count of tokens: got %d %s", name, got.Status, got.Body)
		}
	}
	if len(h.Bodies) != 0 {
		t.Errorf("%d calls reached the upstream", len(h.Bodies))
	}
}
