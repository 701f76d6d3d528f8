package issuer

import (
	"errors"
	"fmt"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/google/uuid"

	"github.com/tollgate/tollgate/libs/core/address"
	"github.com/tollgate/tollgate/libs/core/tenant"
)

// A tenant whose issuer does not answer changes its client again and again, and starts sign-ins with each.
func TestPool_ManyClientsOfATenantLeaveOthersAlone(t *testing.T) {
	t.Parallel()
	pool := NewPool("http://console.example", address.Policy{}, nil)
	const clients = poolSlots/issuerSlots + 1
	// Has room for the sign-ins that wait until the test ends.
	slow, refusals := tenant.Tenant{ID: uuid.New(), Slug: "slow"}, make(chan error, clients*issuerSlots)
	for i := range clients {
		client := pool.Get(&slow, &tenant.Issuer{URL: "https://slow.example", ClientID: fmt.Sprintf("client %d", i)},
			"")
		<-client.discovery // the discovery does not end
		for range issuerSlots {
			go func() {
				_, err := client.Connect(t.Context())
				refusals <- err
			}()
		}
	}
	for range (clients - 1) * issuerSlots {
		var refused *Refusal
		if err := <-refusals; !errors.As(err, &refused) || refused.Reason != Busy {
			t.Fatalf("got error %v, want Busy: the tenant has %d slots", err, issuerSlots)
		}
	}
	other := tenant.Tenant{ID: uuid.New(), Slug: "other"}
	client := pool.Get(&other, &tenant.Issuer{URL: "https://other.example", ClientID: "client"}, "")
	<-client.discovery
	client.discovery <- &oidc.Provider{}
	connection, err := client.Connect(t.Context())
	if err != nil {
		t.Fatalf("another tenant: %v", err)
	}
	connection.Release()
}
