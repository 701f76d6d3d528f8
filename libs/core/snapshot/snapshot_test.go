package snapshot_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

func id(n byte) (id uuid.UUID) {
	id[15] = n
	return id
}

func demo() *snapshot.Snapshot {
	serves := func(n byte, priority int, status tenant.Status, models ...string) catalog.Channel {
		c := catalog.Channel{ID: id(n), Priority: priority, Status: status, Models: map[string]string{}}
		for _, model := range models {
			c.Models[model] = "upstream-" + model
		}
		return c
	}
	return snapshot.New(7,
		[]tenant.Group{{ID: id(1), Name: "default"}, {ID: id(2), Name: "gold"}},
		[]catalog.Model{{ID: "m"}, {ID: "b"}, {ID: "a", Status: tenant.Disabled}},
		[]catalog.Channel{
			serves(14, 10, tenant.Enabled, "m", "b"),
			serves(13, 0, tenant.Enabled, "m"),
			serves(12, 0, tenant.Disabled, "m", "b"),
			serves(11, 0, tenant.Enabled, "m"),
			serves(10, -1, tenant.Enabled, "elsewhere"),
		}, pricing.NewBook(nil, nil))
}

func TestServing_ReturnsEnabledChannelsByPriority(t *testing.T) {
	s := demo()
	for model, want := range map[string][]byte{
		"m":         {11, 13, 14}, // by priority, then by id; not the disabled one
		"b":         {14},
		"elsewhere": {10}, // a channel may serve an id that is not a model yet
		"a":         nil,
		"":          nil,
	} {
		var got []byte
		for _, channel := range s.Serving(model) {
			got = append(got, channel.ID[15])
		}
		if !slices.Equal(got, want) {
			t.Errorf("Serving(%q) = %v, want %v", model, got, want)
		}
	}
}

func TestSnapshot_FindsResourcesByID(t *testing.T) {
	s := demo()
	if s.Version != 7 || s.Group(id(2)).Name != "gold" || s.Model("b").ID != "b" || s.Channel(id(12)).ID != id(12) {
		t.Error("a lookup returns the wrong resource")
	}
	if s.Group(id(9)) != nil || s.Model("nope") != nil || s.Channel(id(9)) != nil {
		t.Error("a lookup of an unknown id is not nil")
	}
	var models []string
	for _, model := range s.Models() {
		models = append(models, model.ID)
	}
	if !slices.Equal(models, []string{"a", "b", "m"}) {
		t.Errorf("Models = %v, want all in order, including disabled ones", models)
	}
	if n := len(s.Channels()); n != 5 {
		t.Errorf("%d channels, want 5, including disabled ones", n)
	}
}
