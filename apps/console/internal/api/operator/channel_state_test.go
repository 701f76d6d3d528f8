package operator

import (
	"testing"

	"github.com/google/uuid"
)

func TestChannelHealth_State(t *testing.T) {
	t.Parallel()
	var (
		unchecked = CredentialHealth{Status: "enabled"}
		works     = CredentialHealth{Status: "enabled", Probe: &Probe{}}
		fails     = CredentialHealth{Status: "enabled", Probe: &Probe{Error: "connect"}}
		disabled  = CredentialHealth{Status: "disabled", Probe: &Probe{}}
		illegible = CredentialHealth{Status: "unreadable"}
	)
	type list = []CredentialHealth
	ofAll, ofTenant := RelayHealth{}, RelayHealth{Tenants: []uuid.UUID{uuid.New()}}
	for name, c := range map[string]struct {
		credentials []CredentialHealth
		relays      []RelayHealth
		want        ChannelState
	}{
		"no credentials and no probe":        {nil, nil, channelUnknown},
		"a credential without a probe":       {list{unchecked}, nil, channelUnknown},
		"a credential that works":            {list{works}, nil, channelHealthy},
		"one that works, one without probe":  {list{works, unchecked}, nil, channelHealthy},
		"one that works, one that fails":     {list{works, fails}, nil, channelDegraded},
		"one without probe, one disabled":    {list{unchecked, disabled}, nil, channelDegraded},
		"a credential that fails":            {list{fails}, nil, channelFailing},
		"one disabled, one that fails":       {list{disabled, fails}, nil, channelFailing},
		"an unreadable credential":           {list{illegible}, nil, channelFailing},
		"a fault that concerns all tenants":  {list{works}, []RelayHealth{ofTenant, ofAll}, channelDegraded},
		"a fault that concerns a tenant":     {list{works}, []RelayHealth{ofTenant}, channelHealthy},
		"no credentials, and a fault of all": {nil, []RelayHealth{ofAll}, channelDegraded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			health := ChannelHealth{Credentials: c.credentials, Relays: c.relays}
			if got := health.state(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
