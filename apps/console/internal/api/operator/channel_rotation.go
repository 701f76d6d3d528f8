package operator

import (
	"fmt"
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// maxKeys is how many credentials a channel may have.
const maxKeys = 100

// CredentialRotation changes a channel's credentials one by one: those that it
// does not name stay as they are, disabled ones among them.
type CredentialRotation struct {
	Add    []string `json:"add,omitempty" maxItems:"100" doc:"Credentials to use from now on; never shown again"`
	Remove []string `json:"remove,omitempty" maxItems:"100" doc:"Fingerprints of credentials to use no more; the mask names one that cannot be unsealed"`
}

// rotate puts what the rotation makes of the channel's credentials into the patch.
func (h *handlers) rotate(current *catalog.Channel, body *ChannelPatch, patch *catalogdb.ChannelPatch) error {
	r := &body.Rotation
	if len(r.Add)+len(r.Remove) == 0 {
		return nil
	}
	if body.APIKeys.Given() {
		return problem.New(problem.InvalidType, "Replace all credentials or change some, not both.").At("rotation")
	}
	kept, names, err := h.keptKeys(current, r.Remove)
	if err != nil {
		return err
	}
	added, err := h.addedKeys(r.Add, names)
	if err != nil {
		return err
	}
	keys := slices.Concat(kept, added)
	if len(keys) > maxKeys {
		return problem.New(problem.InvalidType, "A channel has at most %d credentials.", maxKeys).At("rotation.add")
	}
	patch.Keys, patch.Removed = &keys, &r.Remove
	return nil
}

// keptKeys returns the credentials that are not removed, and what names them.
func (h *handlers) keptKeys(channel *catalog.Channel, remove []string) (kept []catalog.SealedSecret, names []string, err error) {
	found := map[string]bool{}
	for i, key := range h.Prober.Credentials(channel) {
		name := key.Fingerprint
		if name == "" {
			name = key.Mask
		}
		if slices.Contains(remove, name) {
			found[name] = true
			continue
		}
		kept, names = append(kept, channel.Credentials[i]), append(names, name)
	}
	for i, name := range remove {
		if !found[name] {
			return nil, nil, problem.New(problem.InvalidType, "The channel has no such credential.").At(fmt.Sprintf("rotation.remove[%d]", i))
		}
	}
	return kept, names, nil
}

// addedKeys seals what is added and is not there yet.
func (h *handlers) addedKeys(add, names []string) ([]catalog.SealedSecret, error) {
	for i, plain := range add {
		name := h.Sealer.Fingerprint(plain)
		if slices.Contains(names, name) {
			return nil, problem.New(problem.InvalidType, "The channel has this credential already.").At(fmt.Sprintf("rotation.add[%d]", i))
		}
		names = append(names, name)
	}
	return h.sealKeys(add, "rotation.add")
}
