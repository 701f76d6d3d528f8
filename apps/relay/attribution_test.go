package relay_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/usage"
	"github.com/tollgate/tollgate/libs/store/identity"
)

// allowTags sets the keys of metadata that are tags at the tenant.
func (h *testRelay) allowTags(slug, names string) {
	h.t.Helper()
	scope := tenant.SystemScope("test")
	found, err := h.store.Identity.TenantBySlug(h.t.Context(), scope, slug)
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.store.Identity.UpdateTenant(h.t.Context(), scope, found.ID,
		identity.TenantPatch{MetadataTags: &names}); err != nil {
		h.t.Fatal(err)
	}
}

func TestAttribution_IsInTheUsageLogAndNotAtTheUpstream(t *testing.T) {
	h := newRelay(t)
	h.allowTags("acme", "feature,customer")
	var leaked atomic.Value
	h.serveFirst(func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if strings.HasPrefix(strings.ToLower(name), "x-tollgate") {
				leaked.Store(name)
			}
		}
		answer(w, r)
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
		got := h.post(token, chatBody("cheap", c.more), c.headers...)
		if got.status != http.StatusOK {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
			continue
		}
		if log := h.log(got); log.EndUser != c.endUser || log.Tags != c.tags {
			t.Errorf("%s: got %q and %s, want %q and %s", name, log.EndUser, log.Tags, c.endUser, c.tags)
		}
	}
	if name := leaked.Load(); name != nil {
		t.Errorf("the upstream got the header %s", name)
	}
	got := h.do(http.MethodPost, responsesPath, token,
		`{"model":"cheap","input":"hi","safety_identifier":"s-2","metadata":{"feature":"chat"}}`)
	if log := h.log(got); log.EndUser != "s-2" || log.Tags != `{"feature":"chat"}` {
		t.Errorf("responses: got %q and %s", log.EndUser, log.Tags)
	}
}

// The tenant small allows no keys of metadata, whatever another tenant allows.
func TestAttribution_OfMetadataIsASettingOfEachTenant(t *testing.T) {
	h := newRelay(t)
	h.allowTags("acme", "feature")
	got := h.post(smallToken, chatBody("cheap", `,"max_tokens":64,"metadata":{"feature":"search"}`))
	if log := h.log(got); got.status != http.StatusOK || log.Tags != "" {
		t.Errorf("got %d, tags %s", got.status, log.Tags)
	}
}

func TestAttribution_RefusesAMalformedTagAndNamesTheHeader(t *testing.T) {
	h := newRelay(t)
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
		got := h.post(token, chatBody("cheap", ""), c.headers...)
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, c.want) ||
			!strings.Contains(got.body, `"code":"invalid_type"`) {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
	}
	if len(h.bodies) != 0 {
		t.Errorf("%d calls reached the upstream", len(h.bodies))
	}
}
