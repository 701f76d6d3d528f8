package action_test

import (
	"slices"
	"testing"

	"github.com/tollgate/tollgate/libs/core/action"
)

func TestKnown_FindsEveryActionAndNoOther(t *testing.T) {
	if !slices.IsSorted(action.All()) {
		t.Fatal("the actions are not sorted")
	}
	for _, one := range action.All() {
		if !action.Known(string(one)) {
			t.Errorf("%s is not known", one)
		}
	}
	for _, other := range []string{"", "token", "token.", "token.destroy", "Token.create"} {
		if action.Known(other) {
			t.Errorf("%q is known", other)
		}
	}
}
