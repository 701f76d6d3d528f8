package operator_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tollgate/tollgate/apps/console/internal/consoletest"
	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/seal"
	catalogdb "github.com/tollgate/tollgate/libs/store/catalog"
)

func TestRotation_AddsAndRemovesSingleCredentials(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	operator := s.As(s.Operator)
	path := "/api/operator/channels/" + s.Channel.ID.String()
	disableCredential(s)
	rotate := func(rotation map[string]any) consoletest.Reply {
		return operator.Patch(path, map[string]any{"rotation": rotation})
	}
	const fresh = "sk-a-fresh-credential-4321"
	consoletest.Equal(t, rotate(map[string]any{"add": []string{fresh}}).Want(t, http.StatusOK), "sk-u…6789",
		"api_key_masks", 0)
	health := operator.Get(path+"/health").Want(t, http.StatusOK)
	consoletest.Equal(t, health, "disabled", "credentials", 0, "status") // a rotation does not enable other credentials
	consoletest.Equal(t, health, "enabled", "credentials", 1, "status")

	rotate(map[string]any{"add": []string{fresh}}).Refused(t, http.StatusBadRequest, "rotation.add[0]")
	rotate(map[string]any{"add": []string{"two words"}}).Refused(t, http.StatusBadRequest, "rotation.add[0]")
	rotate(map[string]any{"remove": []string{"another"}}).Refused(t, http.StatusBadRequest, "rotation.remove[0]")
	operator.Patch(path, map[string]any{"api_keys": []string{fresh},
		"rotation": map[string]any{"add": []string{fresh}}}).Refused(t, http.StatusBadRequest, "rotation")

	rotate(map[string]any{"remove": []string{fingerprint(s)}}).Want(t, http.StatusOK)
	health = operator.Get(path+"/health").Want(t, http.StatusOK)
	consoletest.Equal(t, health, seal.New(s.Secret).Fingerprint(fresh), "credentials", 0, "fingerprint")
	again := rotate(map[string]any{"add": []string{consoletest.Credential}}).Want(t, http.StatusOK)
	consoletest.Equal(t, again, "sk-u…6789", "api_key_masks", 1)
	consoletest.Equal(t, operator.Get(path+"/health").Want(t, http.StatusOK), "enabled", "credentials", 1, "status")
	if log := operator.Get("/api/operator/audit-log"); strings.Contains(log.Raw, fresh) ||
		!strings.Contains(log.Raw, "channel.update") {
		t.Errorf("the audit log shows the credential or lacks channel.update: %s", log.Raw)
	}
}

func TestRotation_RemovesAnUnreadableCredentialByMask(t *testing.T) {
	t.Parallel()
	s := consoletest.Setup(t)
	foreign, err := seal.New([32]byte{9}).SealCredential("sk-of-another-place-0000")
	s.Must(err)
	_, err = s.Store.Catalog.UpdateChannel(t.Context(), consoletest.System, s.Channel.ID,
		catalogdb.ChannelPatch{Keys: &[]catalog.SealedSecret{foreign}})
	s.Must(err)
	patched := s.As(s.Operator).Patch("/api/operator/channels/"+s.Channel.ID.String(),
		map[string]any{"rotation": map[string]any{"remove": []string{foreign.Mask}}})
	if masks, _ := patched.Want(t, http.StatusOK)["api_key_masks"].([]any); len(masks) != 0 {
		t.Errorf("got credentials %v, want none", masks)
	}
}
