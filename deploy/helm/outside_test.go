package chart

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// paths returns HOST/PATH of every rule of the Ingress, with the Service that it leads to.
func paths(t *testing.T, c cluster) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, rule := range all[*networkingv1.Ingress](c)[0].Spec.Rules {
		for _, path := range rule.HTTP.Paths {
			service, ok := c["Service/"+path.Backend.Service.Name].(*corev1.Service)
			if !ok || service.Spec.Ports[0].Name != path.Backend.Service.Port.Name {
				t.Errorf("%s: the Service or its port does not exist", rule.Host)
			}
			found[rule.Host+path.Path] = path.Backend.Service.Name
		}
	}
	return found
}

func TestIngress_LeadsToTheServices(t *testing.T) {
	t.Parallel()
	const secret = "secret: {existingSecret: s}\nfullnameOverride: gateway\n"
	for _, row := range []struct {
		name, values string
		want         map[string]string
	}{
		{"a relay with a host of its own gets all paths, to answer wrong base URLs",
			secret + "ingress: {enabled: true, relayHost: api.example.com}",
			map[string]string{"api.example.com/": "gateway-relay"}},
		{"two hosts", file(t, "testdata", "everything.yaml"),
			map[string]string{"api.example.com/": "gateway-relay", "console.example.com/": "gateway-console"}},
		{"on the host of the console, the relay does not get the console's paths",
			secret + "ingress: {enabled: true, relayHost: example.com, consoleHost: example.com}",
			map[string]string{"example.com/v1": "gateway-relay", "example.com/": "gateway-console"}},
	} {
		if got := paths(t, installed(t, row.values)); !maps.Equal(got, row.want) {
			t.Errorf("%s: got the paths %v, want %v", row.name, got, row.want)
		}
	}
	hosts := []string{"api.example.com", "console.example.com"}
	if tls := all[*networkingv1.Ingress](install(t, "everything"))[0].Spec.TLS; !slices.Equal(tls[0].Hosts, hosts) {
		t.Errorf("got the hosts with TLS %v, want %v", tls, hosts)
	}
}

func TestServiceMonitor_SelectsAllPrograms(t *testing.T) {
	t.Parallel()
	c := install(t, "everything")
	m := all[*monitor](c)[0]
	selector, err := metav1.LabelSelectorAsSelector(&m.Spec.Selector)
	if err != nil {
		t.Fatal(err)
	}
	scraped := map[string]bool{}
	for _, service := range all[*corev1.Service](c) {
		if selector.Matches(labels.Set(service.Labels)) && service.Spec.Ports[0].Name == m.Spec.Endpoints[0].Port {
			scraped[service.Labels[m.Spec.JobLabel]] = true
		}
	}
	if len(scraped) != 3 || m.Spec.Endpoints[0].Path != "/metrics" {
		t.Errorf("got the path %s of the programs %v, want /metrics of 3", m.Spec.Endpoints[0].Path, scraped)
	}
}

// Prometheus's operator gives each target labels. Without honorLabels they replace those of the metrics, and the alerts
// and the dashboard find other values. With it, no metric may have a label that says where it comes from.
func TestServiceMonitor_KeepsTheLabelsOfMetrics(t *testing.T) {
	t.Parallel()
	given := []string{"container", "endpoint", "instance", "job", "namespace", "node", "pod", "service"}
	var taken []string
	rows := regexp.MustCompile("(?m)^\\| `tollgate_[^|]+\\| [a-z]+ \\|([^|]*)\\|").
		FindAllStringSubmatch(file(t, root, "docs", "observability.md"), -1)
	for _, row := range rows {
		for label := range strings.FieldsFuncSeq(row[1], func(r rune) bool { return strings.ContainsRune(" `,", r) }) {
			if slices.Contains(given, label) {
				taken = append(taken, label)
			}
		}
	}
	if taken = slices.Compact(slices.Sorted(slices.Values(taken))); !slices.Equal(taken, []string{"endpoint"}) {
		t.Errorf("%d metrics have the labels %v of targets, want only endpoint", len(rows), taken)
	}
	if !all[*monitor](install(t, "everything"))[0].Spec.Endpoints[0].HonorLabels {
		t.Error("got no honorLabels: the label endpoint of tollgate_requests_total would be the name of the port")
	}
}
