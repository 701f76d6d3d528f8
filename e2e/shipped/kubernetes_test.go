//go:build cluster

package shipped

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tollgate/tollgate/e2e/pages"
	"github.com/tollgate/tollgate/e2e/story"
)

// stores declares the stores that the chart requires, Postgres and Redis, and an upstream, in a namespace of
// their own.
const stores = `
{apiVersion: v1, kind: Service, metadata: {name: postgres}, spec: {selector: {app: postgres}, ports: [{port: 5432}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: redis}, spec: {selector: {app: redis}, ports: [{port: 6379}]}}
---
{apiVersion: v1, kind: Service, metadata: {name: upstream}, spec: {selector: {app: upstream}, ports: [{port: 9090}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: postgres, labels: {app: postgres}}
spec:
  containers:
    - name: postgres
      image: POSTGRES_IMAGE
      imagePullPolicy: Never
      env: [{name: POSTGRES_USER, value: tollgate}, {name: POSTGRES_PASSWORD, value: PASSWORD},
            {name: POSTGRES_DB, value: tollgate}]
      readinessProbe: {exec: {command: [pg_isready, -q, -h, 127.0.0.1, -U, tollgate]}, periodSeconds: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: redis, labels: {app: redis}}
spec:
  containers:
    - name: redis
      image: REDIS_IMAGE
      imagePullPolicy: Never
      args: [redis-server, --requirepass, PASSWORD]
      readinessProbe: {tcpSocket: {port: 6379}, periodSeconds: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: upstream, labels: {app: upstream}}
spec:
  containers:
    - {name: upstream, image: "tollgate/fakeupstream:TAG", imagePullPolicy: Never}
`

// clusterValues are chart values for a small machine and for calls of a second.
const clusterValues = `
image: {registry: "", tag: TAG}
config: {TOLLGATE_EGRESS_ALLOW: 10.0.0.0/8}
relay: {preStopSeconds: 5, drainSeconds: 20, resources: {requests: {cpu: 50m}}}
console: {preStopSeconds: 5, config: {TOLLGATE_CONSOLE_SECURE_COOKIES: "false"}, resources: {requests: {cpu: 10m}}}
worker: {resources: {requests: {cpu: 10m}}}
`

// release is a Tollgate in a namespace of the cluster that KUBECONFIG names.
type release struct {
	root      string
	namespace string
	words     *strings.Replacer // replaces the names and addresses in the page's commands
}

// bash runs a script in the repository's root. curl retries, and background processes end with the script.
func (r *release) bash(ctx context.Context, script string) (string, error) {
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c",
		"trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"+beforeCommands+script)
	cmd.Dir, cmd.WaitDelay = r.root, 10*time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// run runs a script until it ends and returns its output. It fails the test if the script fails.
func (r *release) run(t *testing.T, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	defer cancel()
	output, err := r.bash(ctx, script)
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, output)
	}
	return output
}

// kubectl runs a command in the release's namespace and returns its output.
func (r *release) kubectl(t *testing.T, command string) string {
	t.Helper()
	return strings.TrimSpace(r.run(t, "kubectl --namespace "+r.namespace+" "+command))
}

// awaitRollouts waits until all rollouts are complete.
func (r *release) awaitRollouts(t *testing.T) {
	t.Helper()
	for _, what := range []string{"statefulset/tollgate-relay", "deployment/tollgate-console",
		"deployment/tollgate-worker"} {
		r.kubectl(t, "rollout status --timeout 4m "+what)
	}
}

// stage imports the images and starts the stores. The test's cleanup removes everything.
func (r *release) stage(t *testing.T, kit *Kit) {
	t.Helper()
	images := []string{kit.postgres, kit.redis, kit.image("fakeupstream")}
	for _, program := range []string{"relay", "console", "worker"} {
		images = append(images, kit.image(program))
	}
	if err := command(t.Context(), r.root, nil,
		append([]string{"tools/offline/cluster", "import"}, images...)...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
		defer cancel()
		if t.Failed() {
			output, _ := r.bash(ctx,
				fmt.Sprintf("kubectl --namespace %s get pods,events; for program in relay console worker; do "+
					"kubectl --namespace %[1]s logs --tail 30 --selector app.kubernetes.io/component=$program; "+
					"done", r.namespace))
			t.Log(output)
		}
		if output, err := r.bash(ctx,
			fmt.Sprintf("kubectl delete namespace --ignore-not-found --timeout 3m %s %[1]s-stores",
				r.namespace)); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
	})
	text := strings.NewReplacer("POSTGRES_IMAGE", kit.postgres, "REDIS_IMAGE", kit.redis, ":TAG", ":"+kit.Tag).
		Replace(stores)
	r.run(t, fmt.Sprintf("kubectl create namespace %s-stores\nkubectl --namespace %[1]s-stores apply -f - "+
		"<<'END'\n%sEND\n"+
		"kubectl --namespace %[1]s-stores wait --for condition=Ready --timeout 2m pod --all", r.namespace, text))
}

// reach returns the release's addresses as a composition, for its clients. This machine is a node of the
// cluster and reaches them.
func (r *release) reach(t *testing.T) *composed {
	t.Helper()
	address := func(program string) string {
		return "http://" + r.kubectl(t, "get service tollgate-"+program+" --output jsonpath={.spec.clusterIP}")
	}
	return &composed{root: r.root, Relay: address("relay"), Console: address("console")}
}

// TestKubernetes_CommandsOfThePage runs the commands of docs/kubernetes.md one after the other. From the first
// call on, clients must notice nothing of what happens to the pods, and every success must be recorded.
func TestKubernetes_CommandsOfThePage(t *testing.T) {
	kit := suite.images(t)
	port := strconv.Itoa(reserve(t).Number)
	r := &release{root: kit.Root, namespace: fmt.Sprintf("%s%d", project, os.Getpid())}
	values := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(values, []byte(strings.ReplaceAll(clusterValues, "TAG", kit.Tag)), 0o600); err != nil {
		t.Fatal(err)
	}
	r.words = strings.NewReplacer(
		"namespace tollgate", "namespace "+r.namespace, "helm install tollgate ",
		"helm install tollgate --values "+values+" ",
		"postgres.example.com", "postgres."+r.namespace+"-stores", "redis.example.com", "redis."+r.namespace+"-stores",
		" 8080:80 &", " "+port+":80 &", "localhost:8080", "localhost:"+port,
	)
	page, err := pages.Read(kit.Root, filepath.Join(kit.Root, "docs", "kubernetes.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, b := range page.Blocks {
		if b.Reason == "cluster" {
			blocks = append(blocks, r.words.Replace(b.Text))
		}
	}
	if len(blocks) < 5 {
		t.Fatalf("got only %d blocks, want at least 5", len(blocks))
	}
	r.stage(t, kit)
	r.run(t, blocks[0])
	r.awaitRollouts(t)

	output := r.run(t, blocks[1]+"\nprintf '\\n%s %s\\n' \"token=$TOKEN\" \"password=$OPERATOR_PASSWORD\"\n")
	kept := regexp.MustCompile(`(?m)^token=(\S+) password=(\S+)$`).FindStringSubmatch(output)
	if kept == nil || !strings.Contains(output, `"content":"Hello"`) {
		t.Fatalf("the output has no token or no answer:\n%s", output)
	}
	token := kept[1]
	r.kubectl(t, "exec -i deploy/tollgate-console -- /console apply /dev/stdin <<'END'\n"+
		`models: [{id: paced, owned_by: acme, price: {request: "0.0001"}}]
channels: [{name: paced, type: openai, base_url: "http://upstream.`+r.namespace+
		`-stores:9090/v1", api_keys: [upstream-key], endpoints: [chat], models: {paced: "paced?chunks=30&pace=30ms"}}]
END`)

	c := r.reach(t)
	root := story.SignIn(t, c.Console, "operator@example.com", kept[2])
	for _, block := range blocks[2:] {
		r.checkUnnoticed(t, c, token, root, func() { r.run(t, block) })
	}
	t.Run("pod evicted", func(t *testing.T) {
		r.checkUnnoticed(t, c, token, root, func() { r.evict(t, "tollgate-relay-0") })
	})
	t.Run("release deleted and installed again", func(t *testing.T) {
		r.run(t, "helm uninstall tollgate --namespace "+r.namespace+" --wait --cascade foreground")
		if volumes := r.kubectl(t, "get pvc --output name"); !strings.Contains(volumes, "data-tollgate-relay-0") {
			t.Errorf("the volumes were deleted: got %q", volumes)
		}
		_, install, _ := strings.Cut(blocks[0], "helm install")
		r.run(t, "helm install"+install)
		c := r.reach(t)
		recorded(t, story.SignIn(t, c.Console, "operator@example.com", kept[2]),
			c.during(t, token, func(l *traffic) { l.awaitMore(t, 30) }))
	})
}

// checkUnnoticed checks that calls succeed and are recorded while do runs.
func (r *release) checkUnnoticed(t *testing.T, c *composed, token string, root *story.Console, do func()) {
	t.Helper()
	l := c.during(t, token, func(l *traffic) {
		l.awaitMore(t, 30)
		do()
		r.awaitRollouts(t)
		l.awaitMore(t, 30)
	})
	if len(l.bad) > 0 {
		t.Errorf("%d of %d calls failed: %v", len(l.bad), l.sent, l.bad[:min(3, len(l.bad))])
	}
	t.Logf("%d calls", l.sent)
	recorded(t, root, l)
}

// evict evicts a pod, as draining a node does, and waits until a new pod has replaced it. Meanwhile the
// disruption budget must refuse to evict a second relay.
func (r *release) evict(t *testing.T, pod string) {
	t.Helper()
	eviction := func(pod string) string {
		return fmt.Sprintf(
			`create --raw /api/v1/namespaces/%s/pods/%s/eviction -f - <<<'{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "%[2]s"}}'`, r.namespace, pod)
	}
	before := r.kubectl(t, "get pod "+pod+" --output jsonpath={.metadata.uid}")
	r.kubectl(t, eviction(pod))
	output, err := r.bash(t.Context(), "kubectl "+eviction("tollgate-relay-1"))
	if err == nil || !strings.Contains(output, "disruption budget") {
		t.Errorf("a second eviction: got %v, %s", err, output)
	}
	story.Eventually(t, time.Minute, "a new pod replaces it", func() bool {
		now, err := r.bash(t.Context(), "kubectl --namespace "+r.namespace+" get pod --ignore-not-found "+pod+
			" --output jsonpath={.metadata.uid}")
		return err == nil && now != "" && now != before
	})
}
