package operator

import (
	"fmt"
	"slices"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

// maxKeys is the largest number of credentials of a channel.
const maxKeys = 100

// CredentialRotation adds and removes single credentials of a channel. Credentials
// that it does not name stay as they are; disabled ones stay disabled.
type CredentialRotation struct {
	Add    []string `json:"add,omitempty" maxItems:"100" doc:"API keys to add. They are stored encrypted and never shown again"`
	Remove []string `json:"remove,omitempty" maxItems:"100" doc:"Fingerprints of the credentials to remove. For a credential that cannot be decrypted, its mask"`
}

// rotate puts the credentials that the channel has after the rotation
// into the patch. It changes nothing if the body names no rotation.
func (h *handlers) rotate(current *catalog.Channel, body *ChannelPatch, patch *catalogdb.ChannelPatch) error {
	r := &body.Rotation
	if len(r.Add)+len(r.Remove) == 0 {
		return nil
	}
	if body.APIKeys.Given() {
		return problem.New(problem.InvalidType, "Send either api_keys or rotation, not both.").At("rotation")
	}
	secrets, names, err := h.keptKeys(current, r.Remove)
	if err != nil {
		return err
	}
	newSecrets, err := h.addedKeys(r.Add, names)
	if err != nil {
		return err
	}
	keys := slices.Concat(secrets, newSecrets)
	if len(keys) > maxKeys {
		return problem.New(problem.InvalidType, "A channel can have at most %d credentials. Remove some first.",
			maxKeys).At("rotation.add")
	}
	patch.Keys, patch.Removed = &keys, &r.Remove
	return nil
}

// keptKeys returns the credentials that are not removed, and their names:
// the fingerprint, or the mask of a credential that cannot be decrypted. A
// name in remove that the channel does not have is an InvalidType problem.
func (h *handlers) keptKeys(channel *catalog.Channel,
	remove []string) (secrets []catalog.SealedSecret, names []string, err error) {
	isListed := map[string]bool{}
	for i, key := range h.Prober.Credentials(channel) {
		name := key.Fingerprint
		if name == "" {
			name = key.Mask
		}
		if slices.Contains(remove, name) {
			isListed[name] = true
			continue
		}
		secrets, names = append(secrets, channel.Credentials[i]), append(names, name)
	}
	for i, name := range remove {
		if !isListed[name] {
			return nil, nil, problem.New(problem.InvalidType, "The channel has no credential with this fingerprint.").
				At(fmt.Sprintf("rotation.remove[%d]", i))
		}
	}
	return secrets, names, nil
}

// addedKeys encrypts the added credentials. A credential that the
// channel already has, by its name in names, is an InvalidType problem.
func (h *handlers) addedKeys(add, names []string) ([]catalog.SealedSecret, error) {
	for i, secret := range add {
		name := h.Sealer.Fingerprint(secret)
		if slices.Contains(names, name) {
			return nil, problem.New(problem.InvalidType, "The channel already has this credential.").
				At(fmt.Sprintf("rotation.add[%d]", i))
		}
		names = append(names, name)
	}
	return h.maker().Seal(add, "rotation.add")
}
