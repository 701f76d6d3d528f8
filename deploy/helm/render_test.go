// Package chart tests the Helm chart. It renders the chart with sets of values, decodes the manifests
// strictly into the types of Kubernetes, and checks what they would do in a cluster: which pods a Service
// selects, what configuration a program would load, which ports it may reach.
package chart

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/yaml"
)

const (
	root     = "../.."
	chartDir = root + "/deploy/helm/tollgate"
	release  = "prod"
)

// sets are the sets of values in testdata that most tests run with.
var sets = []string{"minimal", "given", "everything"}

// values parses values.
func values(t *testing.T, text string) map[string]any {
	t.Helper()
	read, err := common.ReadValues([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// file returns the text of a file.
func file(t *testing.T, name ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(name...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// render returns the manifests that the chart renders from the values, by file name.
func render(t *testing.T, text string) (map[string]string, error) {
	t.Helper()
	chart, err := loader.LoadDir(chartDir)
	if err != nil {
		t.Fatal(err)
	}
	options := common.ReleaseOptions{Name: release, Namespace: "gateway", Revision: 1, IsInstall: true}
	all, err := util.ToRenderValues(chart, values(t, text), options, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(chart, all)
}

// monitor is a ServiceMonitor of the Prometheus operator, with the fields that the chart sets.
type monitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		JobLabel  string               `json:"jobLabel"`
		Selector  metav1.LabelSelector `json:"selector"`
		Endpoints []struct {
			Port        string `json:"port"`
			Path        string `json:"path"`
			Interval    string `json:"interval"`
			HonorLabels bool   `json:"honorLabels"`
		} `json:"endpoints"`
	} `json:"spec"`
}

// object is any Kubernetes object.
type object interface{ metav1.Object }

// cluster holds the objects that a release installs, by "Kind/name".
type cluster map[string]object

// install renders one of the sets and decodes all manifests strictly.
func install(t *testing.T, set string) cluster {
	t.Helper()
	return installed(t, file(t, "testdata", set+".yaml"))
}

// installed renders the values and decodes all manifests strictly.
func installed(t *testing.T, text string) cluster {
	t.Helper()
	manifests, err := render(t, text)
	if err != nil {
		t.Fatal(err)
	}
	c := cluster{}
	for name, manifest := range manifests {
		if strings.HasSuffix(name, "NOTES.txt") {
			continue
		}
		for _, document := range strings.Split("\n"+manifest, "\n---\n") {
			if strings.TrimSpace(document) != "" {
				c.add(t, name, document)
			}
		}
	}
	return c
}

// add decodes a document and adds its object.
func (c cluster) add(t *testing.T, name, document string) {
	t.Helper()
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
		t.Fatalf("%s: parse: %v\n%s", name, err, document)
	}
	if kind.Kind == "" {
		return // only comments
	}
	var o object
	if kind.Kind == "ServiceMonitor" {
		var m monitor
		if err := yaml.UnmarshalStrict([]byte(document), &m); err != nil {
			t.Fatalf("%s: decode: %v\n%s", name, err, document)
		}
		o = &m
	} else {
		decoded, _, err := decoder(t).Decode([]byte(document), nil, nil)
		if err != nil {
			t.Fatalf("%s: decode: %v\n%s", name, err, document)
		}
		var ok bool
		if o, ok = decoded.(object); !ok {
			t.Fatalf("%s: %T is not an object with metadata", name, decoded)
		}
	}
	key := kind.Kind + "/" + o.GetName()
	if _, twice := c[key]; twice {
		t.Fatalf("%s: duplicate object %s", name, key)
	}
	c[key] = o
}

// decoder returns a strict decoder of the kinds that the chart uses.
func decoder(t *testing.T) runtime.Decoder {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme,
		networkingv1.AddToScheme, policyv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}

// all returns the objects of a type.
func all[T object](c cluster) (found []T) {
	for _, o := range c {
		if one, ok := o.(T); ok {
			found = append(found, one)
		}
	}
	return found
}

// pods returns the pod templates by component.
func (c cluster) pods() map[string]corev1.PodTemplateSpec {
	pods := map[string]corev1.PodTemplateSpec{}
	keep := func(template corev1.PodTemplateSpec) {
		pods[template.Labels["app.kubernetes.io/component"]] = template
	}
	for _, d := range all[*appsv1.Deployment](c) {
		keep(d.Spec.Template)
	}
	for _, s := range all[*appsv1.StatefulSet](c) {
		keep(s.Spec.Template)
	}
	for _, j := range all[*batchv1.Job](c) {
		keep(j.Spec.Template)
	}
	return pods
}

// each runs the test with every set of values.
func each(t *testing.T, test func(*testing.T, cluster)) {
	t.Helper()
	for _, set := range sets {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			test(t, install(t, set))
		})
	}
}

func TestChart_PassesHelmLint(t *testing.T) {
	t.Parallel()
	for _, set := range sets {
		for _, message := range lint.RunAll(chartDir, values(t, file(t, "testdata", set+".yaml")), "gateway").Messages {
			if message.Severity > support.InfoSev {
				t.Errorf("%s: lint: %v", set, message)
			}
		}
	}
}

func TestChart_InstallsTheExpectedObjects(t *testing.T) {
	t.Parallel()
	counts := map[string]map[string]int{
		"minimal": {"StatefulSet": 1, "Deployment": 2, "Service": 5, "PodDisruptionBudget": 3, "ConfigMap": 1,
			"ServiceAccount": 1},
		"given": {"StatefulSet": 1, "Deployment": 2, "Service": 5, "PodDisruptionBudget": 3, "ConfigMap": 1,
			"ServiceAccount": 1, "Secret": 2, "Job": 1, "NetworkPolicy": 4},
		"everything": {"StatefulSet": 1, "Deployment": 2, "Service": 5, "PodDisruptionBudget": 3, "ConfigMap": 1,
			"ServiceAccount": 1, "Secret": 2, "Job": 1, "NetworkPolicy": 4, "HorizontalPodAutoscaler": 1, "Ingress": 1,
			"ServiceMonitor": 1},
	}
	for _, set := range sets {
		found := map[string]int{}
		for key := range install(t, set) {
			kind, _, _ := strings.Cut(key, "/")
			found[kind]++
		}
		for kind, want := range counts[set] {
			if found[kind] != want {
				t.Errorf("%s: got %d objects of the kind %s, want %d", set, found[kind], kind, want)
			}
		}
		if len(found) != len(counts[set]) {
			t.Errorf("%s: got the kinds %v, want %v", set, found, counts[set])
		}
	}
}

func TestValues_AreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	const secret = "secret: {existingSecret: s}\n"
	for _, row := range []struct{ name, values, says string }{
		{"no secrets", "", "there are no default credentials"},
		{"some of the secrets are missing", "secret: {values: {TOLLGATE_DATABASE_URL: x, TOLLGATE_SECRET_KEY: z}}",
			"secret.values.TOLLGATE_REDIS_URL"},
		{"roles without a URL for each program", "secret: {databaseRoles: true, values: {TOLLGATE_DATABASE_URL: x, " +
			"TOLLGATE_REDIS_URL: r, TOLLGATE_SECRET_KEY: s}}", "secret.values.TOLLGATE_DATABASE_URL_RELAY"},
		{"an existing Secret and values", "secret: {existingSecret: s, values: {TOLLGATE_REDIS_URL: x}}", "not both"},
		{"an unknown value", secret + "relais: {}", "relais"},
		{"an unknown nested value", secret + "relay: {replica: 2}", "replica"},
		{"a secret in the configuration", secret + "config: {TOLLGATE_SECRET_KEY: x}", "TOLLGATE_SECRET_KEY"},
		{"an address in the configuration", secret + "config: {TOLLGATE_OPS_ADDR: x}", "TOLLGATE_OPS_ADDR"},
		{"the console's variable for all programs", secret + "config: {TOLLGATE_OIDC_ISSUER: x}",
			"TOLLGATE_OIDC_ISSUER"},
		{"a variable of another program", secret + "config: {PATH: x}", "PATH"},
		{"a number, which YAML would write as 6.7e+07", secret + "config: {TOLLGATE_MAX_BODY_BYTES: 67108864}",
			"TOLLGATE_MAX_BODY_BYTES"},
		{"metrics open to everyone", secret + "networkPolicy: {monitoring: []}", "monitoring"},
		{"running as root", secret + "podSecurity: {runAsUser: 0}", "runAsUser"},
		{"an Ingress without hosts", secret + "ingress: {enabled: true}", "ingress.relayHost"},
	} {
		if _, err := render(t, row.values); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: got %v, want an error with %q", row.name, err, row.says)
		}
	}
}

// The defaults of the chart name the images that the release workflow pushes.
func TestImages_AreThoseOfTheRelease(t *testing.T) {
	t.Parallel()
	registry := regexp.MustCompile(`(?m)REGISTRY: (\S+/)$`).
		FindStringSubmatch(file(t, root, ".github", "workflows", "release.yml"))
	if registry == nil {
		t.Fatal("release.yml sets no REGISTRY")
	}
	bake := file(t, root, "deploy", "images", "docker-bake.hcl")
	pushed := map[string]bool{}
	for _, tag := range regexp.MustCompile(`tags += \["(.+)"\]`).FindAllStringSubmatch(bake, -1) {
		pushed[strings.NewReplacer("${REGISTRY}", registry[1], "${VERSION}",
			strings.TrimSpace(file(t, root, "VERSION"))).Replace(tag[1])] = true
	}
	for component, pod := range install(t, "given").pods() {
		if image := pod.Spec.Containers[0].Image; !pushed[image] {
			t.Errorf("%s: got the image %s, want one of %v", component, image, slices.Sorted(maps.Keys(pushed)))
		}
	}
}

func TestImages_AreNamedByTheirDigests(t *testing.T) {
	t.Parallel()
	digest := "sha256:" + strings.Repeat("0a", 32)
	c := installed(t, "secret: {existingSecret: s}\nimage: {digests: {relay: \""+digest+"\"}}")
	for component, pod := range c.pods() {
		if named := strings.HasSuffix(pod.Spec.Containers[0].Image, "@"+digest); named != (component == "relay") {
			t.Errorf("%s: got the image %s", component, pod.Spec.Containers[0].Image)
		}
	}
	if _, err := render(t, "secret: {existingSecret: s}\nimage: {digests: {relay: latest}}"); err == nil {
		t.Error("a malformed digest was accepted")
	}
}
