package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/seal"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

func TestRotation_AddsAndRemovesSingleCredentials(t *testing.T) {
	t.Parallel()
	s := setup(t)
	operator := s.as(s.operator)
	path := "/api/operator/channels/" + s.channel.ID.String()
	s.disableCredential()
	rotate := func(rotation map[string]any) reply {
		return operator.patch(path, map[string]any{"rotation": rotation})
	}
	const fresh = "sk-a-fresh-credential-4321"
	equal(t, rotate(map[string]any{"add": []string{fresh}}).want(t, http.StatusOK), "sk-u…6789", "api_key_masks", 0)
	health := operator.get(path+"/health").want(t, http.StatusOK)
	equal(t, health, "disabled", "credentials", 0, "status") // a rotation does not enable other credentials
	equal(t, health, "enabled", "credentials", 1, "status")

	rotate(map[string]any{"add": []string{fresh}}).refused(t, http.StatusBadRequest, "rotation.add[0]")
	rotate(map[string]any{"add": []string{"two words"}}).refused(t, http.StatusBadRequest, "rotation.add[0]")
	rotate(map[string]any{"remove": []string{"another"}}).refused(t, http.StatusBadRequest, "rotation.remove[0]")
	operator.patch(path, map[string]any{"api_keys": []string{fresh},
		"rotation": map[string]any{"add": []string{fresh}}}).refused(t, http.StatusBadRequest, "rotation")

	rotate(map[string]any{"remove": []string{s.fingerprint()}}).want(t, http.StatusOK)
	health = operator.get(path+"/health").want(t, http.StatusOK)
	equal(t, health, seal.New(s.secret).Fingerprint(fresh), "credentials", 0, "fingerprint")
	again := rotate(map[string]any{"add": []string{credential}}).want(t, http.StatusOK)
	equal(t, again, "sk-u…6789", "api_key_masks", 1)
	equal(t, operator.get(path+"/health").want(t, http.StatusOK), "enabled", "credentials", 1, "status")
	if log := operator.get("/api/operator/audit-log"); strings.Contains(log.raw, fresh) ||
		!strings.Contains(log.raw, "channel.update") {
		t.Errorf("the audit log shows the credential or lacks channel.update: %s", log.raw)
	}
}

func TestRotation_RemovesAnUnreadableCredentialByMask(t *testing.T) {
	t.Parallel()
	s := setup(t)
	foreign, err := seal.New([32]byte{9}).SealCredential("sk-of-another-place-0000")
	s.must(err)
	_, err = s.store.Catalog.UpdateChannel(t.Context(), system, s.channel.ID,
		catalogdb.ChannelPatch{Keys: &[]catalog.SealedSecret{foreign}})
	s.must(err)
	patched := s.as(s.operator).patch("/api/operator/channels/"+s.channel.ID.String(),
		map[string]any{"rotation": map[string]any{"remove": []string{foreign.Mask}}})
	if masks, _ := patched.want(t, http.StatusOK)["api_key_masks"].([]any); len(masks) != 0 {
		t.Errorf("got credentials %v, want none", masks)
	}
}
