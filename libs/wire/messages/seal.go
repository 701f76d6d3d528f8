package messages

import (
	"strings"

	"github.com/tollgate/tollgate/libs/core/completion"
	"github.com/tollgate/tollgate/libs/wire/foreign"
)

// clientSeal returns the signature of a thinking block as a client gets it.
func clientSeal(signature string) string {
	if bare, ok := strings.CutPrefix(signature, thinkingSeal); ok {
		return bare
	}
	return foreign.Mark + signature
}

// redactedData returns the data of a reasoning item that is redacted, as a client gets it.
func redactedData(item *completion.Item) (data string, ok bool) {
	if item.Type != completion.ItemReasoning {
		return "", false
	}
	return strings.CutPrefix(item.Signature, redactedSeal)
}

// upstreamSeal returns the Signature of a reasoning part, see conversation.Part, for the signature or the data of a
// block that a client returns. mark is that of this family for blocks of its kind.
func upstreamSeal(mark, signature string) string {
	if foreignSeal, ok := strings.CutPrefix(signature, foreign.Mark); ok {
		return foreignSeal
	}
	return seal(mark, signature)
}
