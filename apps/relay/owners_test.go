package relay_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

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

// made creates a response with a member's token and returns its id.
func (h *testRelay) made(extra string) string {
	h.t.Helper()
	got := h.sendInput(memberToken, `"hello"`, extra)
	if got.status != 200 {
		h.t.Fatalf("got %d %s, want 200", got.status, got.body)
	}
	if strings.Contains(extra, `"stream":true`) {
		return lastEvent(h.t, got.body).Response.ID
	}
	return parse(h.t, got.body).ID
}

// expectSameAsRandom checks that every operation on the id has the same answer as on a random one, except for the id.
func (h *testRelay) expectSameAsRandom(bearer, id, random string) {
	h.t.Helper()
	for _, operation := range []struct{ method, path string }{{"GET", ""}, {"GET", "?stream=true"}, {"DELETE", ""},
		{"GET", "/input_items"}, {"POST", "/cancel"}} {
		got := h.do(operation.method, responses+"/"+id+operation.path, bearer, "")
		want := h.do(operation.method, responses+"/"+random+operation.path, bearer, "")
		if got.status != http.StatusNotFound || got.status != want.status ||
			strings.ReplaceAll(got.body, id, random) != want.body {
			h.t.Errorf("%s %s: got %d %s, want %d %s", operation.method, operation.path, got.status, got.body,
				want.status, want.body)
		}
	}
	for _, path := range []string{responses, inputTokens, compact} {
		body := `{"model":"cheap","input":"and?"`
		got, want := h.do("POST", path, bearer, body+continuing(id)+"}"),
			h.do("POST", path, bearer, body+continuing(random)+"}")
		if got.status != http.StatusBadRequest || got.status != want.status ||
			strings.ReplaceAll(got.body, id, random) != want.body {
			h.t.Errorf("previous_response_id at %s: got %d %s, want %d %s", path, got.status, got.body,
				want.status, want.body)
		}
	}
}

// relays are the two ways in which responses are stored.
func relays(t *testing.T) map[string]func(*testing.T) *testRelay {
	t.Helper()
	return map[string]func(*testing.T) *testRelay{
		"stored by the gateway": func(t *testing.T) *testRelay {
			h := newRelayWith(t, withColleagues(manifestYAML))
			h.serveFirst((&chatUpstream{}).serve)
			return h
		},
		"stored by an upstream": func(t *testing.T) *testRelay {
			h := newRelayWith(t, withColleagues(responsesManifest))
			h.serveFirst((&responsesUpstream{name: "first"}).serve)
			return h
		},
	}
}

func TestResponses_AreUnknownToOtherUsersOfTheTenant(t *testing.T) {
	for stored, start := range relays(t) {
		for name, extra := range map[string]string{"JSON": "", "a stream": `,"stream":true`} {
			t.Run(stored+", "+name, func(t *testing.T) {
				h := start(t)
				id, random := h.made(extra), "resp_"+strings.ReplaceAll(uuid.NewString(), "-", "")
				h.expectSameAsRandom(otherToken, id, random)
				for _, bearer := range []string{memberToken, secondToken, adminToken, token} {
					if got := h.do("GET", responses+"/"+id, bearer, ""); got.status != 200 ||
						parse(t, got.body).ID != id {
						t.Errorf("%s: got %d %s, want the response", bearer, got.status, got.body)
					}
					if got := h.sendInput(bearer, `"and?"`, continuing(id)+extra); got.status != 200 {
						t.Errorf("%s: got %d %s, want 200", bearer, got.status, got.body)
					}
				}
			})
		}
	}
}

func TestReferences_AreUnknownToOtherUsersOfTheTenant(t *testing.T) {
	h := newRelayWith(t, withColleagues(manifestYAML))
	h.serveFirst((&chatUpstream{}).serve)
	of := response{ID: h.made("")}
	for _, id := range []string{itemID("msg", of, "0"), itemID("msg", of, "in0")} {
		h.expectItemNotFound(otherToken, id)
		for _, bearer := range []string{memberToken, adminToken} {
			if got := h.sendInput(bearer, `[`+reference(id)+`]`, ""); got.status != 200 {
				t.Errorf("%s: got %d %s, want 200", bearer, got.status, got.body)
			}
		}
	}
}

func TestResponseID_CannotBeComputedFromLogs(t *testing.T) {
	for stored, start := range relays(t) {
		t.Run(stored, func(t *testing.T) {
			h := start(t)
			got := h.sendInput(memberToken, `"hello"`, "")
			logged := h.log(got).ID
			made := parse(t, got.body).ID
			digits := strings.ReplaceAll(logged.String(), "-", "")
			if strings.Contains(got.body, digits) || strings.Contains(made, digits) {
				t.Errorf("the answer contains the id of the usage log %s: %s", logged, got.body)
			}
			// The first 48 bits of a usage log's id are its time, so two ids of the same moment begin alike.
			if next := h.made(""); len(stored) > 0 && next[len("resp_"):][:8] == made[len("resp_"):][:8] {
				t.Errorf("got ids %s and %s, want random ones", made, next)
			}
			h.expectSameAsRandom(adminToken, "resp_"+digits, "resp_"+strings.ReplaceAll(uuid.NewString(), "-", ""))
		})
	}
}

func TestResponses_OfEarlierReleasesAreKept(t *testing.T) {
	url := storetest.SQLite(t)
	h := newRelayOn(t, url, withColleagues(manifestYAML), func(*config.Config) {})
	h.serveFirst((&chatUpstream{}).serve)
	made := h.made("")
	// Earlier releases stored a response under the id of its usage log.
	old := uuid.Must(uuid.NewV7())
	storetest.Exec(t, url, "UPDATE responses SET id = '"+old.String()+"'")
	id := "resp_" + strings.ReplaceAll(old.String(), "-", "")
	if got := h.do("GET", responses+"/"+made, memberToken, ""); got.status != 404 {
		t.Fatalf("the response was not renamed: got %d", got.status)
	}
	if got := h.sendInput(memberToken, `"and?"`, continuing(id)); got.status != 200 {
		t.Errorf("got %d %s, want 200", got.status, got.body)
	}
	h.expectSameAsRandom(otherToken, id, "resp_"+strings.ReplaceAll(uuid.NewString(), "-", ""))
}
