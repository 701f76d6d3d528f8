package stored

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/tenant"
	responsedb "github.com/tollgate/tollgate/libs/store/response"
)

func TestParseItemID_AcceptsOnlyIDsThatTheRelayMakes(t *testing.T) {
	id := uuid.Must(uuid.NewV7())
	digits := strings.TrimPrefix(idOf(id), prefix)
	for _, kind := range kinds {
		for index, input := range map[string]bool{"_0": false, "_12": false, "_in0": true, "_in12": true} {
			if got, ok := parseItemID(kind + "_" + digits + index); !ok || got != (itemReference{id, input}) {
				t.Errorf("%s_...%s: got %+v, %v, want input %v", kind, index, got, ok, input)
			}
		}
	}
	for _, other := range []string{
		"", "msg_", "msg_1", digits, "msg_" + digits, "resp_" + digits + "_0", "ws_" + digits + "_0",
		"msg" + digits + "_0",
		"msg_" + strings.ToUpper(digits) + "_0", "msg_" + digits + "0_0", "msg_" + digits[1:] + "_0",
		"msg_" + digits[1:] + "g_0",
	} {
		if got, ok := parseItemID(other); ok {
			t.Errorf("parseItemID accepted %q as %v", other, got)
		}
	}
}

// fixedStore is a Store that returns complete responses for any excerpt.
type fixedStore struct {
	Store
	responses []responsedb.Response
}

func (s *fixedStore) Excerpts(context.Context, tenant.Scope, tenant.Reach,
	responsedb.Excerpt) ([]responsedb.Response, error) {
	return s.responses, nil
}

// A client may give an item of its own any id. Such an item must not replace an item of another response that
// was deleted.
func TestItems_IgnoresItemsWithTheIDOfAnotherResponse(t *testing.T) {
	id, gone := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	own := "_" + strings.TrimPrefix(idOf(id), prefix)
	lost := "msg_" + strings.TrimPrefix(idOf(gone), prefix) + "_0"
	h := NewResponses(Options{Store: &fixedStore{responses: []responsedb.Response{{
		ID: id, Input: []byte(`[{"id":"` + lost + `","role":"user","content":"x"},{"role":"user","content":"y"}]`),
		Body: []byte(`{"output":[{"id":"fc` + own +
			`_0","type":"function_call","status":"completed","arguments":"{}"}]}`),
	}}}})
	got, err := h.items(t.Context(), tenant.Reach{}, []string{lost})
	if err != nil || len(got) != 2 || !strings.Contains(string(got["msg"+own+"_in1"]), `"y"`) ||
		!strings.Contains(string(got["fc"+own+"_0"]), `"function_call"`) {
		t.Errorf("got %s, error %v, want the two items of the response", got, err)
	}
}
