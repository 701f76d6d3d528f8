package stored_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/apps/relay/internal/relaytest/responsetest"
	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// The tokens of the users in withColleagues. token belongs to the owner.
const (
	memberToken = "a-token-of-one-member"
	otherToken  = "a-token-of-another-member"
	secondToken = "a-second-token-of-the-member"
	adminToken  = "a-token-of-the-admin"
)

// withColleagues adds two members and an admin to the tenant acme of a manifest.
func withColleagues(manifest string) string {
	user := func(name, role string, tokens ...string) string {
		text := fmt.Sprintf("      - {email: %s@acme.example, password: a-long-password, role: %s, group: default, "+
			"tokens: [", name, role)
		for _, value := range tokens {
			text += fmt.Sprintf("{name: %s, value: %s},", value, value)
		}
		return text + "]}\n"
	}
	const next = "  - slug: small\n"
	return strings.Replace(manifest, next, user("member", "member", memberToken, secondToken)+
		user("other", "member", otherToken)+user("admin", "admin", adminToken)+next, 1)
}

// makeResponse creates a response with a member's token and returns its id.
func makeResponse(h *relaytest.Relay, extra string) string {
	h.T.Helper()
	got := responsetest.PostInput(h, memberToken, `"hello"`, extra)
	if got.Status != 200 {
		h.T.Fatalf("got %d %s, want 200", got.Status, got.Body)
	}
	if strings.Contains(extra, `"stream":true`) {
		return responsetest.LastEvent(h.T, got.Body).Response.ID
	}
	return responsetest.Parse(h.T, got.Body).ID
}

// expectSameAsRandom checks that every operation on the id has the same answer as on a random one, except for the id.
func expectSameAsRandom(h *relaytest.Relay, bearer, id, random string) {
	h.T.Helper()
	for _, operation := range []struct{ method, path string }{{"GET", ""}, {"GET", "?stream=true"}, {"DELETE", ""},
		{"GET", "/input_items"}, {"POST", "/cancel"}} {
		got := h.Do(operation.method, relaytest.ResponsesPath+"/"+id+operation.path, bearer, "")
		want := h.Do(operation.method, relaytest.ResponsesPath+"/"+random+operation.path, bearer, "")
		if got.Status != http.StatusNotFound || got.Status != want.Status ||
			strings.ReplaceAll(got.Body, id, random) != want.Body {
			h.T.Errorf("%s %s: got %d %s, want %d %s", operation.method, operation.path, got.Status, got.Body,
				want.Status, want.Body)
		}
	}
	for _, path := range []string{relaytest.ResponsesPath, responsetest.InputTokensPath, responsetest.CompactPath} {
		body := `{"model":"cheap","input":"and?"`
		got, want := h.Do("POST", path, bearer, body+responsetest.Continuing(id)+"}"),
			h.Do("POST", path, bearer, body+responsetest.Continuing(random)+"}")
		if got.Status != http.StatusBadRequest || got.Status != want.Status ||
			strings.ReplaceAll(got.Body, id, random) != want.Body {
			h.T.Errorf("previous_response_id at %s: got %d %s, want %d %s", path, got.Status, got.Body,
				want.Status, want.Body)
		}
	}
}

// relays are the two ways in which responses are stored.
func relays(t *testing.T) map[string]func(*testing.T) *relaytest.Relay {
	t.Helper()
	return map[string]func(*testing.T) *relaytest.Relay{
		"stored by the gateway": func(t *testing.T) *relaytest.Relay {
			h := relaytest.NewWith(t, withColleagues(relaytest.Manifest))
			h.ServeFirst((&responsetest.ChatUpstream{}).Serve)
			return h
		},
		"stored by an upstream": func(t *testing.T) *relaytest.Relay {
			h := relaytest.NewWith(t, withColleagues(responsetest.Manifest))
			h.ServeFirst((&responsetest.Upstream{Name: "first"}).Serve)
			return h
		},
	}
}

func TestResponses_AreUnknownToOtherUsersOfTheTenant(t *testing.T) {
	for stored, start := range relays(t) {
		for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
			t.Run(stored+", "+name, func(t *testing.T) {
				h := start(t)
				id, random := makeResponse(h, extra), "resp_"+strings.ReplaceAll(uuid.NewString(), "-", "")
				expectSameAsRandom(h, otherToken, id, random)
				for _, bearer := range []string{memberToken, secondToken, adminToken, token} {
					if got := h.Do("GET", relaytest.ResponsesPath+"/"+id, bearer, ""); got.Status != 200 ||
						responsetest.Parse(t, got.Body).ID != id {
						t.Errorf("%s: got %d %s, want the response", bearer, got.Status, got.Body)
					}
					if got := responsetest.PostInput(h, bearer, `"and?"`, responsetest.Continuing(id)+extra); got.Status != 200 {
						t.Errorf("%s: got %d %s, want 200", bearer, got.Status, got.Body)
					}
				}
			})
		}
	}
}

func TestReferences_AreUnknownToOtherUsersOfTheTenant(t *testing.T) {
	h := relaytest.NewWith(t, withColleagues(relaytest.Manifest))
	h.ServeFirst((&responsetest.ChatUpstream{}).Serve)
	of := responsetest.Response{ID: makeResponse(h, "")}
	for _, id := range []string{itemID("msg", of, "0"), itemID("msg", of, "in0")} {
		expectItemNotFound(h, otherToken, id)
		for _, bearer := range []string{memberToken, adminToken} {
			if got := responsetest.PostInput(h, bearer, `[`+reference(id)+`]`, ""); got.Status != 200 {
				t.Errorf("%s: got %d %s, want 200", bearer, got.Status, got.Body)
			}
		}
	}
}

func TestResponseID_CannotBeComputedFromLogs(t *testing.T) {
	for stored, start := range relays(t) {
		t.Run(stored, func(t *testing.T) {
			h := start(t)
			got := responsetest.PostInput(h, memberToken, `"hello"`, "")
			logged := h.Log(got).ID
			made := responsetest.Parse(t, got.Body).ID
			digits := strings.ReplaceAll(logged.String(), "-", "")
			if strings.Contains(got.Body, digits) || strings.Contains(made, digits) {
				t.Errorf("the answer contains the id of the usage log %s: %s", logged, got.Body)
			}
			// The first 48 bits of a usage log's id are its time, so two ids of the same moment begin alike.
			if next := makeResponse(h, ""); len(stored) > 0 && next[len("resp_"):][:8] == made[len("resp_"):][:8] {
				t.Errorf("got ids %s and %s, want random ones", made, next)
			}
			expectSameAsRandom(h, adminToken, "resp_"+digits, "resp_"+strings.ReplaceAll(uuid.NewString(), "-", ""))
		})
	}
}

func TestResponses_OfEarlierReleasesAreKept(t *testing.T) {
	url := storetest.SQLite(t)
	h := relaytest.NewOn(t, url, withColleagues(relaytest.Manifest), func(*config.Config) {})
	h.ServeFirst((&responsetest.ChatUpstream{}).Serve)
	made := makeResponse(h, "")
	// Earlier releases stored a response under the id of its usage log.
	old := uuid.Must(uuid.NewV7())
	storetest.Exec(t, url, "UPDATE responses SET id = '"+old.String()+"'")
	id := "resp_" + strings.ReplaceAll(old.String(), "-", "")
	if got := h.Do("GET", relaytest.ResponsesPath+"/"+made, memberToken, ""); got.Status != 404 {
		t.Fatalf("the response was not renamed: got %d", got.Status)
	}
	if got := responsetest.PostInput(h, memberToken, `"and?"`, responsetest.Continuing(id)); got.Status != 200 {
		t.Errorf("got %d %s, want 200", got.Status, got.Body)
	}
	expectSameAsRandom(h, otherToken, id, "resp_"+strings.ReplaceAll(uuid.NewString(), "-", ""))
}
