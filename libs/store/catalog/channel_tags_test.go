package catalog_test

import (
	"reflect"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/store"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
	"github.com/tollgate/tollgate/libs/store/page"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

func TestChannels_AreFoundByTheirTags(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		create := func(name string, tags ...string) catalog.Channel {
			return storetest.Need(s.Catalog.CreateChannel(background, platform, catalog.Channel{Name: name,
				Type: "echo", Dialects: []catalog.Dialect{"chat"}, Models: map[string]string{"m": "up"}, Weight: 1,
				Tags: tags}))(t)
		}
		found := func(tags ...string) (names []string) {
			for _, c := range storetest.Need(s.Catalog.Channels(background, platform, tags, page.Page{}))(t).Items {
				names = append(names, c.Name)
			}
			return names
		}
		tagged := create("tagged", "eu west", `a"b\c%_`, "渠道")
		create("other", "eu")
		create("bare")
		for _, row := range []struct {
			tags []string
			want []string
		}{
			{nil, []string{"tagged", "other", "bare"}},
			{[]string{"eu west"}, []string{"tagged"}},
			{[]string{"eu west", "渠道"}, []string{"tagged"}},
			{[]string{"eu west", "eu"}, nil},
			{[]string{"eu"}, []string{"other"}},
			{[]string{"EU"}, nil},
			{[]string{`a"b\c%_`}, []string{"tagged"}},
			{[]string{"%"}, nil},
			{[]string{"a\x00\xff"}, nil},
		} {
			if got := found(row.tags...); !reflect.DeepEqual(got, row.want) {
				t.Errorf("channels with the tags %q: got %q, want %q", row.tags, got, row.want)
			}
		}

		tags := func(tags ...string) catalogdb.ChannelPatch { return catalogdb.ChannelPatch{Tags: &tags} }
		changed := storetest.Need(s.Catalog.UpdateChannel(background, platform, tagged.ID, tags("us")))(t)
		storetest.Equal(t, "tags after a change", len(changed.Tags), 1)
		if got := found("us"); !reflect.DeepEqual(got, []string{"tagged"}) {
			t.Errorf("channels with the new tag: got %q", got)
		}
		storetest.Need(s.Catalog.UpdateChannel(background, platform, tagged.ID, tags()))(t)
		stored := storetest.Need(s.Catalog.Channel(background, platform, tagged.ID))(t)
		if stored.Tags == nil || len(stored.Tags) != 0 {
			t.Errorf("tags after all were removed: got %#v, want an empty list", stored.Tags)
		}
	})
}

func TestSnapshot_HidesTagsFromTenants(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := storetest.NewCustomer(t, s, "acme")
		_, channel := storetest.AddModel(t, s, "m1")
		storetest.Need(s.Catalog.UpdateChannel(background, platform, channel.ID,
			catalogdb.ChannelPatch{Tags: &[]string{"secret"}}))(t)
		whole := storetest.Need(s.Catalog.Snapshot(background, platform))(t)
		storetest.Equal(t, "tags for the platform", len(whole.Channel(channel.ID).Tags), 1)
		shown := storetest.Need(s.Catalog.Snapshot(background, f.AsMember))(t)
		storetest.Equal(t, "tags for a tenant", len(shown.Channel(channel.ID).Tags), 0)
	})
}
