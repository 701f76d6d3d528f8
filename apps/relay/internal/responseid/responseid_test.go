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

func pins() *responseid.Codec { return responseid.NewCodec(seal.New([32]byte{1})) }

func TestAnIDOpensForItsTenant(t *testing.T) {
	for _, p := range []responseid.Origin{made, {ID: "x"}, {ID: strings.Repeat("x", 500), Tokens: 1 << 60}} {
		id := pins().EncodeID(tenantA, p)
		if got, ok := pins().DecodeID(tenantA, id); !ok || got != p {
			t.Errorf("got %+v, %v; want %+v", got, ok, p)
		}
		if strings.Contains(id, "upstream") || !strings.HasPrefix(id, "resp_") || len(id) > 1_000 {
			t.Errorf("id %s", id)
		}
		if _, ok := pins().DecodeID(tenantB, id); ok {
			t.Error("it opens for another tenant")
		}
		if _, ok := responseid.NewCodec(seal.New([32]byte{2})).DecodeID(tenantA, id); ok {
			t.Error("it opens with another secret")
		}
	}
}

func TestATagIsNoID(t *testing.T) {
	tag := pins().EncodeTag(tenantA, made.Channel, made.Credential)
	got, ok := pins().DecodeTag(tenantA, tag)
	if !ok || got.Channel != made.Channel || got.Credential != made.Credential || got.ID != "" {
		t.Errorf("got %+v, %v", got, ok)
	}
	if _, ok := pins().DecodeTag(tenantB, tag); ok {
		t.Error("it opens for another tenant")
	}
	if _, ok := pins().DecodeID(tenantA, "resp_"+tag); ok {
		t.Error("it opens as an id")
	}
	if _, ok := pins().DecodeTag(tenantA, strings.TrimPrefix(pins().EncodeID(tenantA, made), "resp_")); ok {
		t.Error("an id opens as a tag")
	}
}

func TestCredentialsDiffer(t *testing.T) {
	if responseid.HashCredential("sk-1") == responseid.HashCredential("sk-2") || responseid.HashCredential("") == (responseid.CredentialHash{}) {
		t.Error("they do not")
	}
}

// FuzzOpen: no text but a sealed one opens.
func FuzzOpen(f *testing.F) {
	f.Add(pins().EncodeID(tenantB, made))
	f.Add("resp_")
	f.Add("resp_AAAA")
	all := pins()
	f.Fuzz(func(t *testing.T, id string) {
		if got, ok := all.DecodeID(tenantA, id); ok {
			t.Errorf("%q is %+v", id, got)
		}
		if got, ok := all.DecodeTag(tenantA, id); ok {
			t.Errorf("%q is %+v", id, got)
		}
	})
}

func BenchmarkID(b *testing.B) {
	all := pins()
	b.ReportAllocs()
	for b.Loop() {
		all.EncodeID(tenantA, made)
	}
}
