package chart

import (
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/tollgate/tollgate/libs/config"
	"github.com/tollgate/tollgate/libs/web"
)

// production holds the content of the Secret that the values refer to.
var production = map[string]string{
	"TOLLGATE_DATABASE_URL": "postgres://tollgate:pw@postgres/tollgate",
	"TOLLGATE_REDIS_URL":    "redis://redis:6379",
	"TOLLGATE_SECRET_KEY":   "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
}

// environ returns the environment that a container would have in the cluster.
func (c cluster) environ(t *testing.T, container *corev1.Container) (environ []string) {
	t.Helper()
	for _, from := range container.EnvFrom {
		config, ok := c["ConfigMap/"+from.ConfigMapRef.Name].(*corev1.ConfigMap)
		if !ok {
			t.Fatalf("no ConfigMap %s", from.ConfigMapRef.Name)
		}
		for name, value := range config.Data {
			environ = append(environ, name+"="+value)
		}
	}
	for _, variable := range container.Env {
		value := variable.Value
		if variable.ValueFrom != nil {
			if value = c.secret(t, variable.ValueFrom.SecretKeyRef); value == "" {
				continue // an optional secret
			}
		}
		environ = append(environ, variable.Name+"="+value)
	}
	return environ
}

// secret returns the value that a reference to a Secret has.
func (c cluster) secret(t *testing.T, ref *corev1.SecretKeySelector) string {
	t.Helper()
	data := production
	if made, ok := c["Secret/"+ref.Name].(*corev1.Secret); ok {
		data = made.StringData
	} else if ref.Name != "tollgate-production" {
		t.Fatalf("no Secret %s", ref.Name)
	}
	value, ok := data[ref.Key]
	if !ok && (ref.Optional == nil || !*ref.Optional) {
		t.Errorf("the Secret %s has no %s", ref.Name, ref.Key)
	}
	return value
}

// variables returns the names of the environment variables of all programs.
func variables() (known []string) {
	fields := reflect.TypeFor[config.Config]()
	for i := range fields.NumField() {
		known = append(known, config.Prefix+fields.Field(i).Tag.Get("env"))
	}
	return known
}

func TestConfiguration_IsAcceptedByThePrograms(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c cluster) {
		for component, pod := range c.pods() {
			container := &pod.Spec.Containers[0]
			environ := c.environ(t, container)
			for _, entry := range environ {
				name, _, _ := strings.Cut(entry, "=")
				if strings.HasPrefix(name, config.Prefix) && !slices.Contains(variables(), name) {
					t.Errorf("%s: unknown variable %s", component, name)
				}
			}
			if component == "migrate" {
				others := slices.DeleteFunc(slices.Clone(environ[1:]), func(entry string) bool {
					return strings.HasPrefix(entry, "TOLLGATE_DATABASE_DIRECT_URL=postgres://")
				})
				if len(others) != 0 || !strings.HasPrefix(environ[0], "TOLLGATE_DATABASE_URL=postgres://") {
					t.Errorf("migrate: got %d variables, want only the URLs of the database", len(environ))
				}
				continue
			}
			loaded, err := config.Load(component, environ)
			if err != nil {
				t.Errorf("%s: load the configuration: %v", component, err)
				continue
			}
			checkPorts(t, &loaded, container)
			checkGrace(t, &loaded, &pod)
		}
	})
}

// notInValues gives the reason for each variable that the values of the chart cannot set.
var notInValues = map[string]string{
	"TOLLGATE_RELAY_ADDR":    "the chart sets it, and services and probes use it",
	"TOLLGATE_CONSOLE_ADDR":  "the chart sets it, and services and probes use it",
	"TOLLGATE_OPS_ADDR":      "the chart sets it, and services and probes use it",
	"TOLLGATE_DATA_DIR":      "the chart sets it to the volume",
	"TOLLGATE_DRAIN_TIMEOUT": "the chart sets it from drainSeconds",
	"TOLLGATE_CONFIG":        "only standalone reads it",
}

func TestValues_CanSetEveryVariable(t *testing.T) {
	t.Parallel()
	for _, name := range variables() {
		if name == config.Prefix+"-" { // of a field without a variable
			continue
		}
		settable := false
		for _, form := range []string{
			"secret: {existingSecret: s}\nconfig: {%s: x}",
			"secret: {existingSecret: s}\nconsole: {config: {%s: x}}",
			"secret: {values: {TOLLGATE_DATABASE_URL: postgres://x, TOLLGATE_REDIS_URL: redis://x, " +
				"TOLLGATE_SECRET_KEY: x, %s: x}}",
		} {
			text := fmt.Sprintf(form, name)
			if strings.Count(text, name) > 1 { // the chart requires it
				settable = true
				break
			}
			_, err := render(t, text)
			settable = settable || err == nil
		}
		if why := notInValues[name]; settable == (why != "") {
			t.Errorf("%s can be set in the values: %v; the reason why not: %q", name, settable, why)
		}
	}
}

// With secret.databaseRoles, each program gets the database URL of its own role, and no Secret that a program reads has
// the owner's.
func TestDatabaseRoles_GiveEachProgramItsOwnURL(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c cluster) {
		for component, pod := range c.pods() {
			environ := strings.Join(c.environ(t, &pod.Spec.Containers[0]), "\n")
			if !strings.Contains(environ, "postgres://tollgate_") && component != "migrate" {
				continue // a set of values without roles
			}
			want := "TOLLGATE_DATABASE_URL=postgres://tollgate_" + component + ":"
			if component == "migrate" {
				want = "TOLLGATE_DATABASE_URL=postgres://tollgate:"
			}
			if !strings.Contains(environ, want) {
				t.Errorf("%s: the environment does not contain %s", component, want)
			}
			want = strings.Replace(want, "DATABASE_URL", "DATABASE_DIRECT_URL", 1)
			if strings.Contains(environ, "DATABASE_DIRECT_URL") && !strings.Contains(environ, want) {
				t.Errorf("%s: the direct URL does not begin with %s", component, want)
			}
		}
		for name, object := range c {
			if made, ok := object.(*corev1.Secret); ok && made.StringData["TOLLGATE_DATABASE_URL_RELAY"] != "" &&
				made.StringData["TOLLGATE_DATABASE_URL"]+made.StringData["TOLLGATE_DATABASE_DIRECT_URL"] != "" {
				t.Errorf("%s has the URL of the owner", name)
			}
		}
	})
}

// checkPorts compares the ports in the manifest with those that the program listens on.
func checkPorts(t *testing.T, loaded *config.Config, container *corev1.Container) {
	t.Helper()
	listening := map[string]string{"ops": loaded.OpsAddr}
	switch loaded.Program {
	case config.Relay:
		listening["http"] = loaded.RelayAddr
	case config.Console:
		listening["http"] = loaded.ConsoleAddr
	}
	for _, port := range container.Ports {
		host, number, err := net.SplitHostPort(listening[port.Name])
		if want := intstr.FromInt32(port.ContainerPort); err != nil || host != "" || number != want.String() {
			t.Errorf("%s: port %s is %d, but the program listens on %q", loaded.Program, port.Name, port.ContainerPort,
				listening[port.Name])
		}
	}
	if len(container.Ports) != len(listening) {
		t.Errorf("%s: got the ports %v, want %v", loaded.Program, container.Ports, listening)
	}
}

// stopTime is an upper bound of the time that a program takes to stop after its drain time.
const stopTime = 10 * time.Second

// checkGrace checks that a pod is killed only after it had the time to drain and to stop.
func checkGrace(t *testing.T, loaded *config.Config, pod *corev1.PodTemplateSpec) {
	t.Helper()
	grace := time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
	used := loaded.DrainTimeout
	if stop := pod.Spec.Containers[0].Lifecycle; stop != nil {
		used += time.Duration(stop.PreStop.Sleep.Seconds) * time.Second
	} else if loaded.Program != config.Worker {
		t.Errorf("%s: no preStop: it would stop while load balancers still send requests to it", loaded.Program)
	}
	if grace < used+stopTime {
		t.Errorf("%s: the grace period is %s, but draining may take %s", loaded.Program, grace, used)
	}
}

func TestProbes_HaveHandlers(t *testing.T) {
	t.Parallel()
	ops := web.Ops(web.OpsOptions{Registry: prometheus.NewRegistry()})
	each(t, func(t *testing.T, c cluster) {
		for component, pod := range c.pods() {
			container := pod.Spec.Containers[0]
			probes := []*corev1.Probe{container.StartupProbe, container.LivenessProbe, container.ReadinessProbe}
			if component == "migrate" {
				continue
			}
			for i, path := range []string{"/healthz", "/healthz", "/readyz"} {
				if probes[i] == nil || probes[i].HTTPGet.Path != path || probes[i].HTTPGet.Port.StrVal != "ops" {
					t.Errorf("%s: probe %d: got %v, want %s on the port ops", component, i, probes[i], path)
					continue
				}
				w := httptest.NewRecorder()
				r := httptest.NewRequest(http.MethodGet, path, nil)
				r.Host = "10.42.0.7:8082" // the kubelet asks the address of the pod
				if ops.ServeHTTP(w, r); w.Code != http.StatusOK {
					t.Errorf("%s: got the status %d, want 200", path, w.Code)
				}
			}
		}
	})
}

func TestPods_HaveMinimalPrivileges(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c cluster) {
		for component, pod := range c.pods() {
			spec, inside := pod.Spec, pod.Spec.Containers[0].SecurityContext
			outside := spec.SecurityContext
			if !*outside.RunAsNonRoot || *outside.RunAsUser == 0 ||
				outside.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
				t.Errorf("%s: the security context of the pod: %v", component, outside)
			}
			if *inside.AllowPrivilegeEscalation || !*inside.ReadOnlyRootFilesystem ||
				!slices.Equal(inside.Capabilities.Drop, []corev1.Capability{"ALL"}) {
				t.Errorf("%s: the security context of the container: %v", component, inside)
			}
			if *spec.AutomountServiceAccountToken || *spec.EnableServiceLinks {
				t.Errorf("%s gets a service account token or service links", component)
			}
			if _, ok := spec.Containers[0].Resources.Limits[corev1.ResourceMemory]; !ok {
				t.Errorf("%s has no memory limit", component)
			}
			if name := spec.ServiceAccountName; name != "" && c["ServiceAccount/"+name] == nil {
				t.Errorf("%s: no ServiceAccount %s", component, name)
			}
		}
	})
}

// Every pod may be sent to nodes of its own, that of the migration too.
func TestPods_RunOnTheNodesOfTheirValues(t *testing.T) {
	t.Parallel()
	const secret = "secret: {values: {TOLLGATE_DATABASE_URL: d, TOLLGATE_REDIS_URL: r, TOLLGATE_SECRET_KEY: s}}\n"
	placed := secret
	for _, values := range []string{"relay", "console", "worker", "migrations"} {
		placed += fmt.Sprintf("%s: {nodeSelector: {pool: %[1]s}, tolerations: [{key: %[1]s, operator: Exists}], "+
			"affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "+
			"podAffinityTerm: {topologyKey: %[1]s}}]}}}\n", values)
	}
	for component, pod := range installed(t, placed).pods() {
		want, spec := component, pod.Spec
		if component == "migrate" {
			want = "migrations"
		}
		if spec.NodeSelector["pool"] != want || len(spec.Tolerations) != 1 || spec.Tolerations[0].Key != want ||
			spec.Affinity == nil || spec.Affinity.PodAntiAffinity.
			PreferredDuringSchedulingIgnoredDuringExecution[0].PodAffinityTerm.TopologyKey != want {
			t.Errorf("%s: got the nodes %v, the tolerations %v and the affinity %v", component, spec.NodeSelector,
				spec.Tolerations, spec.Affinity)
		}
	}
	for component, pod := range installed(t, secret).pods() {
		if pod.Spec.NodeSelector != nil || pod.Spec.Tolerations != nil || pod.Spec.Affinity != nil {
			t.Errorf("%s: got %v, want any node by default", component, pod.Spec)
		}
	}
}

// selects returns the components whose pods the selector selects.
func (c cluster) selects(t *testing.T, selector labels.Selector) (found []string) {
	t.Helper()
	for component, pod := range c.pods() {
		if selector.Matches(labels.Set(pod.Labels)) {
			found = append(found, component)
		}
	}
	slices.Sort(found)
	return found
}

// selected is selects for a selector of the API.
func (c cluster) selected(t *testing.T, selector *metav1.LabelSelector) []string {
	t.Helper()
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	return c.selects(t, parsed)
}

func TestSelectors_SelectTheirOwnComponent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c cluster) {
		only := func(o object, got []string) {
			t.Helper()
			if want := o.GetLabels()["app.kubernetes.io/component"]; !slices.Equal(got, []string{want}) {
				t.Errorf("%T %s selects %v, want %s", o, o.GetName(), got, want)
			}
		}
		for _, service := range all[*corev1.Service](c) {
			only(service, c.selects(t, labels.SelectorFromSet(service.Spec.Selector)))
			pod := c.pods()[service.Labels["app.kubernetes.io/component"]]
			for _, port := range service.Spec.Ports {
				if !hasPort(pod, port.TargetPort.StrVal) {
					t.Errorf("%s: pods have no port %s", service.Name, port.TargetPort.StrVal)
				}
			}
		}
		for _, budget := range all[*policyv1.PodDisruptionBudget](c) {
			only(budget, c.selected(t, budget.Spec.Selector))
		}
		for _, d := range all[*appsv1.Deployment](c) {
			only(d, c.selected(t, d.Spec.Selector))
		}
		for _, s := range all[*appsv1.StatefulSet](c) {
			only(s, c.selected(t, s.Spec.Selector))
			if governing, ok := c["Service/"+s.Spec.ServiceName].(*corev1.Service); !ok ||
				governing.Spec.ClusterIP != corev1.ClusterIPNone {
				t.Errorf("%s: no headless Service %s", s.Name, s.Spec.ServiceName)
			}
		}
		for component, pod := range c.pods() {
			for _, constraint := range pod.Spec.TopologySpreadConstraints {
				if got := c.selected(t, constraint.LabelSelector); !slices.Equal(got, []string{component}) {
					t.Errorf("%s: the topology constraint selects %v", component, got)
				}
			}
		}
	})
}

func hasPort(pod corev1.PodTemplateSpec, name string) bool {
	return slices.ContainsFunc(pod.Spec.Containers[0].Ports, func(p corev1.ContainerPort) bool {
		return p.Name == name
	})
}

func TestSecrets_AreOnlyInSecretObjects(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"given", "everything"} {
		manifests, err := render(t, file(t, "testdata", set+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for name, manifest := range manifests {
			for _, document := range strings.Split(manifest, "---") {
				if strings.Contains(document, "kind: Secret\n") {
					continue
				}
				for _, secret := range []string{"pw-of-", "MDEyMzQ1"} {
					if strings.Contains(document, secret) {
						t.Errorf("%s: %s shows a secret", set, name)
					}
				}
			}
		}
	}
}

func TestRelay_KeepsItsSpoolOnAVolume(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c cluster) {
		relay := all[*appsv1.StatefulSet](c)[0]
		loaded, err := config.Load(config.Relay, c.environ(t, &relay.Spec.Template.Spec.Containers[0]))
		if err != nil {
			t.Fatal(err)
		}
		claim := relay.Spec.VolumeClaimTemplates[0]
		if label := "app.kubernetes.io/component"; claim.Labels[label] != "relay" ||
			!strings.Contains(file(t, root, "docs", "kubernetes.md"), "get pvc --selector "+label+"=relay") {
			t.Errorf("kubernetes.md does not find the volumes by their labels %v", claim.Labels)
		}
		mount := relay.Spec.Template.Spec.Containers[0].VolumeMounts[0]
		if mount.Name != claim.Name || mount.MountPath != loaded.DataDir {
			t.Errorf("the data directory is %s, but the volume is mounted at %v", loaded.DataDir, mount)
		}
		if size := claim.Spec.Resources.Requests[corev1.ResourceStorage]; size.Cmp(
			*resource.NewQuantity(loaded.SpoolMaxBytes, resource.BinarySI)) <= 0 {
			t.Errorf("the spool can grow to %d bytes, but the volume has %s", loaded.SpoolMaxBytes, size.String())
		}
		if kept := relay.Spec.PersistentVolumeClaimRetentionPolicy; kept.WhenScaled !=
			appsv1.RetainPersistentVolumeClaimRetentionPolicyType ||
			kept.WhenDeleted != appsv1.RetainPersistentVolumeClaimRetentionPolicyType {
			t.Errorf("volumes with uncommitted events would be deleted: %v", kept)
		}
	})
}

func TestMigrations_RunBeforeThePrograms(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"given", "everything"} {
		c := install(t, set)
		for key, o := range c {
			hook, ours := o.GetAnnotations()["helm.sh/hook"], strings.HasSuffix(key, "-migrate")
			if (hook == "pre-install,pre-upgrade") != ours {
				t.Errorf("%s: %s: got the hook %q, want a pre-install hook only for migrations", set, key, hook)
			}
		}
		pod := c.pods()["migrate"]
		ref := pod.Spec.Containers[0].Env[0].ValueFrom.SecretKeyRef
		unknown := func(key string) bool {
			return key != "TOLLGATE_DATABASE_URL" && key != "TOLLGATE_DATABASE_DIRECT_URL"
		}
		made, ok := c["Secret/"+ref.Name].(*corev1.Secret)
		if !ok || made.Annotations["helm.sh/hook-weight"] != "-5" ||
			slices.ContainsFunc(slices.Collect(maps.Keys(made.StringData)), unknown) {
			t.Errorf("%s: got the Secret %v of the migrations, want only URLs of the database and a weight of -5", set,
				made)
		}
		if pod.Spec.ServiceAccountName != "" || !slices.Equal(pod.Spec.Containers[0].Args, []string{"migrate"}) {
			t.Errorf("%s: got the pod %v, want no service account and the command migrate", set, pod.Spec)
		}
	}
}

// The helm commands in docs/kubernetes.md need a --timeout above the deadline of the migration Job, because
// helm would give up first. Upgrades need --reset-then-reuse-values, because with --reuse-values the values
// that a newer chart adds are missing.
func TestKubernetesPage_CommandsHaveTimeoutAndValues(t *testing.T) {
	t.Parallel()
	deadline := time.Duration(*all[*batchv1.Job](install(t, "given"))[0].Spec.ActiveDeadlineSeconds) * time.Second
	commands := regexp.MustCompile(`(?m)^helm (?:install|upgrade) .*$`).
		FindAllString(file(t, root, "docs", "kubernetes.md"), -1)
	if len(commands) < 3 {
		t.Fatalf("found the commands %q, want at least 3", commands)
	}
	for _, command := range commands {
		given := regexp.MustCompile(`--timeout (\S+)`).FindStringSubmatch(command)
		if given == nil {
			t.Errorf("no --timeout: %s", command)
			continue
		}
		if timeout, err := time.ParseDuration(given[1]); err != nil || timeout <= deadline {
			t.Errorf("the --timeout must be above %v, the deadline of migrations: %s", deadline, command)
		}
		if strings.HasPrefix(command, "helm upgrade") != strings.Contains(command, "--reset-then-reuse-values") {
			t.Errorf("upgrades, and only upgrades, need --reset-then-reuse-values: %s", command)
		}
	}
}

func TestAutoscaling_UsesAMetricOfTheRelay(t *testing.T) {
	t.Parallel()
	c := install(t, "everything")
	scaler := all[*autoscalingv2.HorizontalPodAutoscaler](c)[0]
	target := scaler.Spec.ScaleTargetRef
	relay, ok := c[target.Kind+"/"+target.Name].(*appsv1.StatefulSet)
	if !ok || relay.Spec.Replicas != nil {
		t.Errorf("%v does not exist, or has a fixed number of replicas", target)
	}
	metric := scaler.Spec.Metrics[0].Pods
	if metric.Target.AverageValue.Value() != 100 || !exposed(t, metric.Metric.Name) {
		t.Errorf("got the metric %s with a target of %v, want a metric of the relay and 100", metric.Metric.Name,
			metric.Target.AverageValue)
	}
	if fixed := all[*appsv1.StatefulSet](install(t, "given"))[0]; *fixed.Spec.Replicas != 2 {
		t.Errorf("without autoscaling: got %d replicas, want 2", *fixed.Spec.Replicas)
	}
}

// exposed reports whether the sources of the programs contain the name of the metric.
func exposed(t *testing.T, metric string) bool {
	t.Helper()
	found := false
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if folder, _ := filepath.Rel(root, path); folder != "." && folder != "apps" && folder != "libs" &&
				filepath.Dir(folder) == "." || entry.Name() == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			text, err := os.ReadFile(path)
			found = found || strings.Contains(string(text), `"`+metric+`"`)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
