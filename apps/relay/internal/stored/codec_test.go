package stored_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/stored"
	"github.com/tollgate/tollgate/libs/core/tenant"
	"github.com/tollgate/tollgate/libs/seal"
)

var (
	tenantA = uuid.UUID{1}
	tenantB = uuid.UUID{2}
	maker   = uuid.UUID{8}
	made    = stored.Origin{Channel: uuid.UUID{7}, Credential: stored.HashCredential("sk-1"), User: maker,
		Tokens: 1_500, ID: "resp_upstream"}
)

// codec returns a Codec with a fixed key.
func codec() *stored.Codec { return stored.NewCodec(seal.New([32]byte{1})) }

// all returns the reach over all users of a tenant.
func all(tenantID uuid.UUID) tenant.Reach { return tenant.Reach{TenantID: tenantID} }

func TestDecodeID_AcceptsOnlyIDsOfTheTenantAndTheKey(t *testing.T) {
	for _, p := range []stored.Origin{made, {User: maker, ID: "x"},
		{User: maker, ID: strings.Repeat("x", 500), Tokens: 1 << 60}} {
		id := codec().EncodeID(tenantA, p)
		if got, ok := codec().DecodeID(all(tenantA), id); !ok || got != p {
			t.Errorf("got %+v, %v, want %+v", got, ok, p)
		}
		if strings.Contains(id, "upstream") || !strings.HasPrefix(id, "resp_") || len(id) > 1_000 {
			t.Errorf("id reveals the upstream or has the wrong form: %s", id)
		}
		if _, ok := codec().DecodeID(all(tenantB), id); ok {
			t.Error("DecodeID accepted an id of another tenant")
		}
		if _, ok := stored.NewCodec(seal.New([32]byte{2})).DecodeID(all(tenantA), id); ok {
			t.Error("DecodeID accepted an id with another key")
		}
	}
}

func TestDecodeID_RefusesIDsOfOtherUsers(t *testing.T) {
	id := codec().EncodeID(tenantA, made)
	if got, ok := codec().DecodeID(tenant.Reach{TenantID: tenantA, UserID: maker}, id); !ok || got != made {
		t.Errorf("the user's own id: got %+v, %v", got, ok)
	}
	for name, reach := range map[string]tenant.Reach{
		"another user":                       {TenantID: tenantA, UserID: uuid.UUID{9}},
		"the same user id in another tenant": {TenantID: tenantB, UserID: maker},
	} {
		if _, ok := stored.NewCodec(seal.New([32]byte{1})).DecodeID(reach, id); ok {
			t.Errorf("DecodeID accepted an id for %s", name)
		}
	}
}

func TestDecodeTag_DistinguishesTagsFromIDs(t *testing.T) {
	tag := codec().EncodeTag(tenantA, made.Channel, made.Credential)
	got, ok := codec().DecodeTag(tenantA, tag)
	if !ok || got.Channel != made.Channel || got.Credential != made.Credential || got.ID != "" {
		t.Errorf("got %+v, %v", got, ok)
	}
	if _, ok := codec().DecodeTag(tenantB, tag); ok {
		t.Error("DecodeTag accepted a tag of another tenant")
	}
	if _, ok := codec().DecodeID(all(tenantA), "resp_"+tag); ok {
		t.Error("DecodeID accepted a tag")
	}
	if _, ok := codec().DecodeTag(tenantA, strings.TrimPrefix(codec().EncodeID(tenantA, made), "resp_")); ok {
		t.Error("DecodeTag accepted an id")
	}
}

func TestHashCredential_DiffersForDifferentFingerprints(t *testing.T) {
	if stored.HashCredential("sk-1") == stored.HashCredential("sk-2") ||
		stored.HashCredential("") == (stored.CredentialHash{}) {
		t.Error("two credentials have the same hash, or no credential has the zero hash")
	}
}

// FuzzOpen checks that only texts made by the Codec decode.
func FuzzOpen(f *testing.F) {
	f.Add(codec().EncodeID(tenantB, made))
	f.Add("resp_")
	f.Add("resp_AAAA")
	codec := codec()
	f.Fuzz(func(t *testing.T, id string) {
		if got, ok := codec.DecodeID(all(tenantA), id); ok {
			t.Errorf("DecodeID accepted %q as %+v", id, got)
		}
		if got, ok := codec.DecodeTag(tenantA, id); ok {
			t.Errorf("DecodeTag accepted %q as %+v", id, got)
		}
	})
}

func BenchmarkID(b *testing.B) {
	codec := codec()
	b.ReportAllocs()
	for b.Loop() {
		codec.EncodeID(tenantA, made)
	}
}
