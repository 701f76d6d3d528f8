package stored

import (
	"encoding/base64"
	"strings"

	"github.com/google/uuid"
)

// A marked id is an upstream's id of anything but a response (an item, a file, a container), as clients see it:
//
//	<the upstream's id> ".tg1" base64url( channel | credential hash | mark )
//
// The mark is a keyed hash of the tenant, the channel, the credential and the id. So any relay can tell which channel
// gave the id, and whether this tenant got it, without a lookup. The same id is always marked in the same way, because
// the events of a stream refer to items by their ids.
const (
	markPrefix = ".tg1"
	origins    = len(uuid.UUID{}) + len(CredentialHash{})
)

var (
	markText   = base64.RawURLEncoding.Strict()
	markLength = len(markPrefix) + markText.EncodedLen(origins+len(uuid.UUID{}))
)

// MarkID returns the marked id for clients of the tenant. The origin's ID is the upstream's id; its User and Tokens are
// ignored.
func (p *Codec) MarkID(tenantID uuid.UUID, origin Origin) string {
	mark := p.sealer.Mark(marked(tenantID, origin))
	tail := append(append(append(make([]byte, 0, origins+len(mark)), origin.Channel[:]...), origin.Credential[:]...),
		mark[:]...)
	return origin.ID + markPrefix + markText.EncodeToString(tail)
}

// UnmarkID returns the origin of a marked id. ok is false for any text that MarkID did not return for the tenant.
func (p *Codec) UnmarkID(tenantID uuid.UUID, id string) (origin Origin, ok bool) {
	at := len(id) - markLength
	if at <= 0 || len(id) > longest || !strings.HasPrefix(id[at:], markPrefix) {
		return Origin{}, false
	}
	tail, err := markText.DecodeString(id[at+len(markPrefix):])
	if err != nil {
		return Origin{}, false
	}
	origin.ID = id[:at]
	copy(origin.Channel[:], tail)
	copy(origin.Credential[:], tail[len(origin.Channel):])
	if !p.sealer.Marked(marked(tenantID, origin), tail[origins:]) {
		return Origin{}, false
	}
	return origin, true
}

// marked returns the data of a mark. All parts but the last one have a fixed length.
func marked(tenantID uuid.UUID, origin Origin) []byte {
	data := make([]byte, 0, len(tenantID)+origins+len(origin.ID))
	data = append(append(data, tenantID[:]...), origin.Channel[:]...)
	return append(append(data, origin.Credential[:]...), origin.ID...)
}
