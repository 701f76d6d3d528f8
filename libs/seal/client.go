package seal

import (
	"encoding/binary"
	"net/netip"

	"github.com/dchest/siphash"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/usage"
)

// clientKey is the key of MarkClient: the two halves of a key of SipHash.
type clientKey [2]uint64

func newClientKey(key []byte) clientKey {
	return clientKey{binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[8:])}
}

// MarkClient returns the mark of a client of a token: a keyed hash of its address and its User-Agent, see
// usage.AgentOf. Usage logs have the mark: together with the list of the token's clients it tells from which client a
// call came. After a client is deleted from that list, the log does not reveal its address.
//
// Relays compute it for each call: SipHash is made for short texts, for which HMAC-SHA256 takes over ten times as long.
func (s *Sealer) MarkClient(token uuid.UUID, address netip.Addr, agent string) int64 {
	ip := address.As16()
	var buf [len(token) + len(ip) + usage.MaxAgent]byte
	text := append(append(append(buf[:0], token[:]...), ip[:]...), agent...)
	return int64(siphash.Hash(s.clients[0], s.clients[1], text))
}

// ClientMarks returns the marks of the client in all usage logs: by the present secret key, and by the other one.
func (s *Sealer) ClientMarks(token uuid.UUID, address netip.Addr, agent string) (marks []int64) {
	for k := s; k != nil; k = k.other {
		marks = append(marks, k.MarkClient(token, address, agent))
	}
	return marks
}
