package visibility_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/money"
	"github.com/tollgate/tollgate/libs/core/pricing"
	"github.com/tollgate/tollgate/libs/core/snapshot"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/core/token"
	p "github.com/tollgate/tollgate/libs/core/visibility"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// state holds one value of everything that decides whether a model is visible.
type state struct {
	token   []string // the token's model list
	group   []string // the group's model list
	inGroup tenant.Status
	model   tenant.Status
	channel tenant.Status // "" for none
	priced  string        // "now", "later" or "never"
	free    bool
}

func (s state) String() string {
	return fmt.Sprintf("token %q, group %q %s, model %s, channel %q, priced %s, free %v", s.token, s.group, s.inGroup,
		s.model, s.channel, s.priced, s.free)
}

func (s state) visible() bool {
	group := tenant.Group{ID: uuid.Max, Models: s.group, Status: s.inGroup}
	model := catalog.Model{ID: "gpt-4o", Status: s.model, Free: s.free}
	var channels []catalog.Channel
	if s.channel != "" {
		channels = []catalog.Channel{{ID: uuid.Max, Status: s.channel, Models: map[string]string{"gpt-4o": "x"},
			Weight: 1}}
	}
	rate := money.USD
	price := pricing.Price{Model: "gpt-4o", EffectiveFrom: now,
		Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: &rate}}}
	var prices []pricing.Price
	switch s.priced {
	case "now":
		prices = []pricing.Price{price}
	case "later":
		price.EffectiveFrom = now.Add(1)
		prices = []pricing.Price{price}
	}
	snapshot := snapshot.New(1, []tenant.Group{group}, []catalog.Model{model}, channels, pricing.NewBook(prices, nil))
	caller := &token.Caller{Token: token.Token{Models: s.token}, User: tenant.User{GroupID: group.ID}}
	return p.Visible(snapshot, caller, snapshot.Model("gpt-4o"), now)
}

// The test tries every combination. A model is visible exactly if all conditions are met.
func TestVisible_HoldsForEveryCombination(t *testing.T) {
	type list struct {
		models []string
		names  bool
	}
	statuses := []tenant.Status{tenant.Enabled, tenant.Disabled}
	seen, total := 0, 0
	for _, tokenList := range []list{{nil, true}, {[]string{"*"}, true}, {[]string{"x", "gpt-4o"}, true},
		{[]string{"gpt*"}, true}, {[]string{"x"}, false}, {[]string{"gpt-4o-mini"}, false}} {
		for _, groupList := range []list{{nil, false}, {[]string{"*"}, true}, {[]string{"gpt-4o"}, true},
			{[]string{"gpt-4"}, false}} {
			for _, group := range statuses {
				for _, model := range statuses {
					for _, channel := range []tenant.Status{tenant.Enabled, tenant.Disabled, ""} {
						for _, priced := range []string{"now", "later", "never"} {
							for _, free := range []bool{false, true} {
								s := state{tokenList.models, groupList.models, group, model, channel, priced, free}
								want := tokenList.names && groupList.names && group == tenant.Enabled &&
									model == tenant.Enabled &&
									channel == tenant.Enabled && (priced == "now" || free)
								if got := s.visible(); got != want {
									t.Errorf("%s: visible %v, want %v", s, got, want)
								}
								total++
								if want {
									seen++
								}
							}
						}
					}
				}
			}
		}
	}
	if seen == 0 || seen == total {
		t.Errorf("%d of %d combinations are visible, want some but not all", seen, total)
	}
}

func TestWhyHidden_ReturnsTheFirstReason(t *testing.T) {
	rate := money.USD
	book := pricing.NewBook([]pricing.Price{{Model: "m", EffectiveFrom: now,
		Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: &rate}}}}, nil)
	group := tenant.Group{ID: uuid.Max, Models: []string{"m", "disabled", "unserved", "unpriced"},
		Status: tenant.Enabled}
	models := []catalog.Model{{ID: "m", Status: tenant.Enabled}, {ID: "disabled", Status: tenant.Disabled},
		{ID: "unserved", Status: tenant.Enabled}, {ID: "unpriced", Status: tenant.Enabled},
		{ID: "other", Status: tenant.Enabled}}
	channels := []catalog.Channel{{ID: uuid.Max, Status: tenant.Enabled,
		Models: map[string]string{"m": "m", "disabled": "disabled", "unpriced": "unpriced", "other": "other"}}}
	snapshot := snapshot.New(1, []tenant.Group{group}, models, channels, book)
	for _, row := range []struct {
		model string
		group uuid.UUID
		token []string
		want  p.HiddenReason
	}{
		{"m", group.ID, nil, p.NotHidden},
		{"m", group.ID, []string{"x"}, p.NotInToken},
		{"m", uuid.Nil, nil, p.GroupDisabled},
		{"other", group.ID, nil, p.NotInGroup},
		{"disabled", group.ID, nil, p.ModelDisabled},
		{"unserved", group.ID, nil, p.NotServed},
		{"unpriced", group.ID, nil, p.NotPriced},
	} {
		caller := &token.Caller{Token: token.Token{Models: row.token}, User: tenant.User{GroupID: row.group}}
		if got := p.WhyHidden(snapshot, caller, snapshot.Model(row.model), now); got != row.want {
			t.Errorf("%s: %q, want %q", row.model, got, row.want)
		}
	}
}

// A model that only channels of one tenant's account serve is visible to that tenant alone.
func TestVisible_DependsOnWhoseAccountServesTheModel(t *testing.T) {
	group := tenant.Group{ID: uuid.Max, Models: []string{"*"}, Status: tenant.Enabled}
	models := []catalog.Model{{ID: "private", Status: tenant.Enabled, Free: true},
		{ID: "both", Status: tenant.Enabled, Free: true}}
	channels := []catalog.Channel{
		{ID: uuid.Max, Status: tenant.Enabled, Models: map[string]string{"private": "", "both": ""},
			Settings: catalog.Settings{AccountOf: "acme"}},
		{Status: tenant.Enabled, Models: map[string]string{"both": ""}},
	}
	s := snapshot.New(1, []tenant.Group{group}, models, channels, pricing.NewBook(nil, nil))
	for _, row := range []struct {
		slug, model string
		serving     int
	}{{"acme", "private", 1}, {"acme", "both", 2}, {"globex", "private", 0}, {"globex", "both", 1}, {"", "private", 0},
		{"", "both", 1}} {
		caller := &token.Caller{User: tenant.User{GroupID: group.ID}, Tenant: tenant.Tenant{Slug: row.slug}}
		if got := p.Visible(s, caller, s.Model(row.model), now); got != (row.serving > 0) {
			t.Errorf("%q, %s: visible = %v, want %v", row.slug, row.model, got, row.serving > 0)
		}
		if got := len(s.ServingTo(row.slug, row.model)); got != row.serving {
			t.Errorf("%q, %s: %d channels serve it, want %d", row.slug, row.model, got, row.serving)
		}
	}
	if p.VisibleToGroup(s, group.ID, s.Model("private"), now) || len(s.Serving("both")) != 2 {
		t.Error("a group without a tenant sees the model, or the snapshot has lost a channel")
	}
}

func TestVisibleToGroup_IsFalseForAnUnknownGroup(t *testing.T) {
	rate := money.USD
	snapshot := snapshot.New(1, nil,
		[]catalog.Model{{ID: "m", Status: tenant.Enabled}},
		[]catalog.Channel{{ID: uuid.Max, Status: tenant.Enabled, Models: map[string]string{"m": "m"}, Weight: 1}},
		pricing.NewBook(
			[]pricing.Price{{Model: "m", Rates: pricing.Rates{ClassRates: pricing.ClassRates{Input: &rate}}}}, nil))
	for _, group := range []uuid.UUID{uuid.Nil, uuid.Max} {
		if p.VisibleToGroup(snapshot, group, snapshot.Model("m"), now) {
			t.Errorf("a model is visible to the group %s, which does not exist", group)
		}
	}
}
