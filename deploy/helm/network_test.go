package chart

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/tollgate/tollgate/libs/config"
)

// policies returns the NetworkPolicies by component. It checks that each selects the pods of its component
// only, and limits both directions.
func (c cluster) policies(t *testing.T) map[string]*networkingv1.NetworkPolicy {
	t.Helper()
	found := map[string]*networkingv1.NetworkPolicy{}
	for _, policy := range all[*networkingv1.NetworkPolicy](c) {
		component := policy.Labels["app.kubernetes.io/component"]
		if got := c.selected(t, &policy.Spec.PodSelector); !slices.Equal(got, []string{component}) {
			t.Errorf("%s selects %v, want only %s", policy.Name, got, component)
		}
		if len(policy.Spec.PolicyTypes) != 2 {
			t.Errorf("%s does not limit both directions", policy.Name)
		}
		found[component] = policy
	}
	return found
}

func TestNetworkPolicies_CoverEveryPod(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"given", "everything"} {
		c := install(t, set)
		policies := c.policies(t)
		for component := range c.pods() {
			if policies[component] == nil {
				t.Errorf("%s: no policy limits %s", set, component)
			}
		}
	}
}

// The migration connects before the other objects of an upgrade are applied, perhaps to another database than before.
func TestNetworkPolicies_ApplyToTheMigrationBeforeItStarts(t *testing.T) {
	t.Parallel()
	const hook, weight = "helm.sh/hook", "helm.sh/hook-weight"
	for _, set := range []string{"given", "everything"} {
		c := install(t, set)
		job := all[*batchv1.Job](c)[0].Annotations
		jobWeight, err := strconv.Atoi(job[weight])
		if err != nil {
			t.Fatal(err)
		}
		selecting := 0
		for _, policy := range all[*networkingv1.NetworkPolicy](c) {
			if !slices.Contains(c.selected(t, &policy.Spec.PodSelector), "migrate") {
				continue
			}
			selecting++
			at, err := strconv.Atoi(policy.Annotations[weight])
			if policy.Annotations[hook] != job[hook] || err != nil || at >= jobWeight {
				t.Errorf("%s: %s: got the annotations %v, want the hook %q and a weight below %d", set, policy.Name,
					policy.Annotations, job[hook], jobWeight)
			}
		}
		if selecting != 1 {
			t.Errorf("%s: %d policies select the pod of the migration, want 1", set, selecting)
		}
	}
}

func TestNetworkPolicies_AllowOnlyMonitoringOnTheOpsPort(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"given", "everything"} {
		for component, policy := range install(t, set).policies(t) {
			for _, rule := range policy.Spec.Ingress {
				if len(rule.Ports) != 1 {
					t.Fatalf("%s: a rule has %d ports, want 1", component, len(rule.Ports))
				}
				if rule.Ports[0].Port.StrVal != "ops" {
					continue
				}
				if len(rule.From) != 1 ||
					rule.From[0].NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"] != "monitoring" {
					t.Errorf("%s: the ops port is open to %v, want only the namespace monitoring", component, rule.From)
				}
			}
		}
	}
}

// If the values name clients, only these and the playground may call. Otherwise everyone may.
func TestNetworkPolicies_AllowTheNamedClients(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]map[string]int{
		"given":      {"relay": 0, "console": 0}, // no clients named: everyone may call
		"everything": {"relay": 2, "console": 1},
	} {
		c := install(t, set)
		for component, policy := range c.policies(t) {
			peers, served := want[component]
			found := false
			for _, rule := range policy.Spec.Ingress {
				if rule.Ports[0].Port.StrVal == "http" {
					found = true
					if len(rule.From) != peers {
						t.Errorf("%s: %s: got the peers %v, want %d", set, component, rule.From, peers)
					}
				}
			}
			if found != served {
				t.Errorf("%s: %s: got a rule for the port http: %v, want %v", set, component, found, served)
			}
		}
	}
}

// reach returns the ports that a component may call, with the number of peers of each; 0 means any peer.
func reach(policy *networkingv1.NetworkPolicy) map[string]int {
	ports := map[string]int{}
	for _, rule := range policy.Spec.Egress {
		for _, port := range rule.Ports {
			ports[strings.ToLower(string(*port.Protocol))+port.Port.String()] = len(rule.To)
		}
		if len(rule.Ports) == 0 {
			ports["all"] = len(rule.To)
		}
	}
	return ports
}

func TestNetworkPolicies_AllowOnlyNeededPorts(t *testing.T) {
	t.Parallel()
	names := []string{"udp53", "tcp53"}
	for set, want := range map[string]map[string][]string{
		"given": {
			"relay": {"tcp5432", "tcp6379", "tcp443"}, "worker": {"tcp5432", "tcp6379", "tcp443", "tcp587"},
			"console": {"tcp5432", "tcp6379", "tcp443", "tcp587", "tcp8080"}, "migrate": {"tcp5432"},
		},
		"everything": {
			"relay":   {"tcp5432", "tcp6380", "tcp443", "tcp4318"},
			"worker":  {"tcp5432", "tcp6380", "tcp443", "tcp587", "tcp4318"},
			"console": {"tcp5432", "tcp6380", "tcp443", "tcp587", "tcp8080", "tcp4318"}, "migrate": {"tcp5432"},
		},
	} {
		for component, policy := range install(t, set).policies(t) {
			found := reach(policy)
			expected := slices.Concat(names, want[component])
			for _, port := range expected {
				if _, ok := found[port]; !ok {
					t.Errorf("%s: %s cannot reach %s", set, component, port)
				}
			}
			if len(found) != len(expected) {
				t.Errorf("%s: %s reaches %v, want %v", set, component, found, expected)
			}
		}
	}
}

// With a connection pooler, only relays and the migration connect to the database without it.
func TestNetworkPolicies_AllowThePortsOfPoolerAndDatabase(t *testing.T) {
	t.Parallel()
	c := installed(t, file(t, "testdata", "given.yaml")+
		"\nnetworkPolicy: {database: {port: 6432, directPort: 5432}}\n")
	for component, policy := range c.policies(t) {
		ports := reach(policy)
		_, pooler := ports["tcp6432"]
		_, direct := ports["tcp5432"]
		if want := component == "relay" || component == "migrate"; !pooler || direct != want {
			t.Errorf("%s reaches %v, want port 6432, and port 5432: %v", component, ports, want)
		}
	}
}

// Channels lead to public addresses, so a relay must not reach private networks on port 443.
func TestNetworkPolicies_KeepUpstreamsOutOfPrivateNetworks(t *testing.T) {
	t.Parallel()
	for _, rule := range install(t, "given").policies(t)["relay"].Spec.Egress {
		if rule.Ports[0].Port.IntValue() != 443 {
			continue
		}
		for _, network := range []string{"10.0.0.0/8", "169.254.0.0/16"} {
			if !slices.Contains(rule.To[0].IPBlock.Except, network) {
				t.Errorf("the relay can reach %s on port 443", network)
			}
		}
		return
	}
	t.Error("the relay cannot reach port 443 at all")
}

// The console calls the relay for the playground at its Service, which the NetworkPolicy lets it reach, and not at the
// public URL.
func TestPlayground_CallsTheServiceOfTheRelay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c cluster) {
		pod := c.pods()["console"]
		loaded, err := config.Load(config.Console, c.environ(t, &pod.Spec.Containers[0]))
		if err != nil {
			t.Fatal(err)
		}
		host, port, _ := strings.Cut(strings.TrimPrefix(loaded.PlaygroundRelayURL, "http://"), ":")
		service, ok := c["Service/"+host].(*corev1.Service)
		if !ok || !slices.Equal(c.selects(t, labels.SelectorFromSet(service.Spec.Selector)), []string{"relay"}) ||
			port != fmt.Sprint(service.Spec.Ports[0].Port) || service.Spec.Ports[0].TargetPort.StrVal != "http" {
			t.Errorf("got the URL %q, want the Service of the relays", loaded.PlaygroundRelayURL)
		}
	})
	own := installed(t, "secret: {existingSecret: tollgate-production}\n"+
		"console: {config: {TOLLGATE_PLAYGROUND_RELAY_URL: \"http://own\"}}").pods()["console"]
	urls := map[string]int{}
	for _, variable := range own.Spec.Containers[0].Env {
		if variable.Name == "TOLLGATE_PLAYGROUND_RELAY_URL" {
			urls[variable.Value]++
		}
	}
	if !maps.Equal(urls, map[string]int{"http://own": 1}) {
		t.Errorf("got the URLs %v, want only the one in the values", urls)
	}
}
