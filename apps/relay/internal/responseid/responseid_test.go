package responseid_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tollgate/tollgate/apps/relay/internal/responseid"
	"github.com/tollgate/tollgate/libs/seal"
)

var (
	tenantA = uuid.UUID{1}
	tenantB = uuid.UUID{2}
	made    = responseid.Origin{Channel: uuid.UUID{7}, Credential: responseid.HashCredential("sk-1"), Tokens: 1_500, ID: "resp_upstream"}
)

// codec returns a Codec with a fixed key.
func codec() *responseid.Codec { return responseid.NewCodec(seal.New([32]byte{1})) }

func TestDecodeID_AcceptsOnlyIDsOfTheTenantAndTheKey(t *testing.T) {
	for _, p := range []responseid.Origin{made, {ID: "x"}, {ID: strings.Repeat("x", 500), Tokens: 1 << 60}} {
		id := codec().EncodeID(tenantA, p)
		if got, ok := codec().DecodeID(tenantA, id); !ok || got != p {
			t.Errorf("got %+v, %v, want %+v", got, ok, p)
		}
		if strings.Contains(id, "upstream") || !strings.HasPrefix(id, "resp_") || len(id) > 1_000 {
			t.Errorf("id reveals the upstream or has the wrong form: %s", id)
		}
		if _, ok := codec().DecodeID(tenantB, id); ok {
			t.Error("DecodeID accepted an id of another tenant")
		}
		if _, ok := responseid.NewCodec(seal.New([32]byte{2})).DecodeID(tenantA, id); ok {
			t.Error("DecodeID accepted an id with another key")
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
	if _, ok := codec().DecodeID(tenantA, "resp_"+tag); ok {
		t.Error("DecodeID accepted a tag")
	}
	if _, ok := codec().DecodeTag(tenantA, strings.TrimPrefix(codec().EncodeID(tenantA, made), "resp_")); ok {
		t.Error("DecodeTag accepted an id")
	}
}

func TestHashCredential_DiffersForDifferentFingerprints(t *testing.T) {
	if responseid.HashCredential("sk-1") == responseid.HashCredential("sk-2") || responseid.HashCredential("") == (responseid.CredentialHash{}) {
		t.Error("two credentials have the same hash, or no credential has the zero hash")
	}
}

// FuzzOpen checks that only texts made by the Codec decode.
func FuzzOpen(f *testing.F) {
	f.Add(codec().EncodeID(tenantB, made))
	f.Add("resp_")
	f.Add("resp_AAAA")
	all := codec()
	f.Fuzz(func(t *testing.T, id string) {
		if got, ok := all.DecodeID(tenantA, id); ok {
			t.Errorf("DecodeID accepted %q as %+v", id, got)
		}
		if got, ok := all.DecodeTag(tenantA, id); ok {
			t.Errorf("DecodeTag accepted %q as %+v", id, got)
		}
	})
}

func BenchmarkID(b *testing.B) {
	all := codec()
	b.ReportAllocs()
	for b.Loop() {
		all.EncodeID(tenantA, made)
	}
}
