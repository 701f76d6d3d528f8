package shipped

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/tollgate/tollgate/e2e/stack"
	"github.com/tollgate/tollgate/e2e/story"
	"github.com/tollgate/tollgate/libs/porttest"
)

// composed is the stack of deploy/compose.yaml, started as an operator starts it.
type composed struct {
	root    string
	env     []string // environment of tools/compose
	Relay   string   // base URL of the relays, through the load balancer
	Console string
}

// compose runs a docker compose command and returns its standard output.
func (c *composed) compose(ctx context.Context, args ...string) (stdout string, err error) {
	var out, output bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(c.root, "tools", "compose"), args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.root, append(os.Environ(), c.env...), &out, &output
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("compose %s: %w\n%s%s", strings.Join(args, " "), err, out.String(),
			output.String())
	}
	return out.String(), nil
}

// compositions counts the compositions of this process: two may run at the same time.
var compositions atomic.Int64

// composition prepares the stack with its own secrets, ports and project name. What is started of it ends with
// the test.
func composition(t *testing.T) *composed {
	t.Helper()
	kit := suite.images(t)
	if _, err := exec.LookPath("docker-compose"); err != nil &&
		exec.Command("docker", "compose", "version").Run() != nil {
		story.Missing(t, fmt.Errorf("docker compose (Debian: apt-get install docker-compose): %w", stack.ErrMissing))
	}
	file := filepath.Join(t.TempDir(), "env")
	if err := command(t.Context(), kit.Root, nil, "tools/secrets", file); err != nil {
		t.Fatal(err)
	}
	relay, console := reserve(t), reserve(t)
	c := &composed{root: kit.Root, Relay: "http://" + relay.Addr(), Console: "http://" + console.Addr()}
	c.env = []string{
		"ENV_FILE=" + file, fmt.Sprintf("PROJECT=%s%d-%d", project, os.Getpid(), compositions.Add(1)),
		"IMAGE_TAG=" + kit.Tag,
		"POSTGRES_IMAGE=" + kit.postgres, "REDIS_IMAGE=" + kit.redis,
		"HAPROXY_IMAGE=" + configured("TOLLGATE_TEST_HAPROXY_IMAGE", "haproxy:2.6"),
		"RELAY_PORT=" + strconv.Itoa(relay.Number), "CONSOLE_PORT=" + strconv.Itoa(console.Number),
		"TOLLGATE_CONSOLE_SECURE_COOKIES=false", "TOLLGATE_EGRESS_ALLOW=" + private,
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if t.Failed() {
			logs, _ := c.compose(ctx, "logs", "--tail=30")
			t.Log(logs)
		}
		if _, err := c.compose(ctx, "down", "-v", "-t", "5", "--remove-orphans"); err != nil {
			t.Error(err)
		}
	})
	return c
}

// reserve reserves a port until the test ends.
func reserve(t *testing.T) *porttest.Port {
	t.Helper()
	port, err := porttest.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := port.Release(); err != nil {
			t.Error(err)
		}
	})
	return port
}

// up starts the stack and waits until the load balancer serves relays and console.
func up(t *testing.T) *composed {
	t.Helper()
	c := composition(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	if _, err := c.compose(ctx, "up", "-d"); err != nil {
		t.Fatal(err)
	}
	story.Eventually(t, startTimeout, "the load balancer serves relays and console", func() bool {
		for _, base := range []string{c.Relay + "/v1/models", c.Console + "/"} {
			resp, err := http.Get(base)
			if err != nil {
				return false
			}
			_ = resp.Body.Close()
			if resp.StatusCode >= http.StatusInternalServerError {
				return false
			}
		}
		return true
	})
	return c
}

// apply applies a manifest and returns the command's output.
func (c *composed) apply(t *testing.T, file string) string {
	t.Helper()
	output, err := c.compose(story.Context(t), "run", "--rm", "-T", "-v", file+":/manifest.yaml:ro", "operator",
		"apply", "/manifest.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return output
}

// applyPractice applies the manifest with the echo channel and returns the token that the command prints.
func (c *composed) applyPractice(t *testing.T) string {
	t.Helper()
	output := c.apply(t, filepath.Join(c.root, "deploy", "compose", "first-call.yaml"))
	found := regexp.MustCompile(`(?m)^token first of .*: (\S+)\s*$`).FindStringSubmatch(output)
	if found == nil {
		t.Fatalf("no token in the output %q", output)
	}
	return found[1]
}

// addPacedModel adds a model whose streams take about a second, on an upstream that joins the programs' network.
func (c *composed) addPacedModel(t *testing.T) {
	t.Helper()
	name := c.project() + "_upstream"
	t.Cleanup(func() {
		if err := command(context.Background(), c.root, nil, "docker", "rm", "-f", name); err != nil {
			t.Error(err)
		}
	})
	err := command(t.Context(), c.root, nil, "docker", "run", "-d", "--name", name, "--label",
		fmt.Sprintf("%s=%d", label, os.Getpid()),
		"--network", c.project()+"_programs", "--network-alias", "upstream", suite.kit.image("fakeupstream"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "paced.yaml")
	text := `models: [{id: paced, owned_by: acme, price: {request: "0.0001"}}]
channels: [{name: paced, type: openai, base_url: "http://upstream:9090/v1", api_keys: [upstream-key], endpoints: [chat], models: {paced: "paced?chunks=30&pace=30ms"}}]
`
	// The user in the container must be able to read it.
	if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.Chmod(file, 0o644),
		os.Chmod(filepath.Dir(file), 0o755)); err != nil {
		t.Fatal(err)
	}
	c.apply(t, file)
}

// project returns the name of the compose project.
func (c *composed) project() string { return strings.TrimPrefix(c.env[1], "PROJECT=") }

// container returns the id of a service's container.
func (c *composed) container(t *testing.T, service string) string {
	t.Helper()
	id, err := c.compose(story.Context(t), "ps", "-q", service)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(id)
}

// TestCompose starts everything with one command. The operator signs in, and the first call goes through the
// load balancer. Then a relay is killed, and the relays are restarted one after the other, with streams open.
// The load balancer uses the other relay, and no recorded success is lost.
func TestCompose(t *testing.T) {
	t.Parallel()
	c := up(t)
	token := c.applyPractice(t)
	client := sdk(c.Relay, token, once)
	var response *http.Response
	got, err := client.Chat.Completions.New(story.Context(t), openai.ChatCompletionNewParams{
		Model: "practice", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello")},
	}, option.WithResponseInto(&response))
	if err != nil || got.Choices[0].Message.Content != "Hello" {
		t.Fatalf("the first call: got %v, %v", err, got)
	}
	secrets := c.secrets(t)
	root := story.SignIn(t, c.Console, secrets["OPERATOR_EMAIL"], secrets["OPERATOR_PASSWORD"])
	root.AwaitLog(t, response.Header.Get("X-Request-Id"))

	c.addPacedModel(t)
	t.Run("relay killed", func(t *testing.T) { c.testKill(t, token, root) })
	t.Run("rolling restart", func(t *testing.T) { c.testRollingRestart(t, token, root) })
}

// secrets reads the values of the environment file.
func (c *composed) secrets(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(strings.TrimPrefix(c.env[0], "ENV_FILE="))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			values[name] = value
		}
	}
	return values
}

// TestCompose_NamesMissingSecrets checks that nothing starts without a secret, and that the error names it.
func TestCompose_NamesMissingSecrets(t *testing.T) {
	kit := suite.images(t)
	example, err := os.ReadFile(filepath.Join(kit.Root, "deploy", "compose.env.example"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "env")
	if err := command(t.Context(), kit.Root, nil, "tools/secrets", file); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	needed := regexp.MustCompile(`(?m)^([A-Z_]+)=$`).FindAllStringSubmatch(string(example), -1)
	if len(needed) != 5 {
		t.Fatalf("the example has the empty variables %v, want 5", needed)
	}
	for _, name := range needed {
		without := regexp.MustCompile(`(?m)^`+name[1]+`=.*$`).ReplaceAll(made, nil)
		if err := os.WriteFile(file, without, 0o600); err != nil {
			t.Fatal(err)
		}
		c := &composed{root: kit.Root, env: []string{"ENV_FILE=" + file, "PROJECT=tollgate-test-none"}}
		if _, err := c.compose(story.Context(t), "config"); err == nil ||
			!strings.Contains(err.Error(), name[1]+" is not set") {
			t.Errorf("without %s: got %v", name[1], err)
		}
	}
}

// TestCompose_FurtherFiles checks that tools/compose takes further files from the environment file, so that a shell
// without the variable does not start the programs without them.
func TestCompose_FurtherFiles(t *testing.T) {
	t.Parallel()
	root, err := stack.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	engine := "#!/bin/sh\n[ \"$*\" = 'compose version' ] || echo \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(engine), 0o700); err != nil {
		t.Fatal(err)
	}
	const roles = "deploy/compose.roles.yaml"
	for _, row := range []struct {
		name, file string
		env        []string
		want       string
	}{
		{"none", "#COMPOSE_FILES=a.yaml\n", nil, ""},
		{"in the environment file", "COMPOSE_FILES=" + roles + "\n", nil, "-f " + roles + " "},
		{"two, in quotes", "COMPOSE_FILES=\"a.yaml " + roles + "\"\n", nil, "-f a.yaml -f " + roles + " "},
		{"the environment decides", "COMPOSE_FILES=a.yaml\n", []string{"COMPOSE_FILES=" + roles}, "-f " + roles + " "},
		{"turned off by the environment", "COMPOSE_FILES=a.yaml\n", []string{"COMPOSE_FILES="}, ""},
	} {
		file := filepath.Join(dir, "env")
		if err := os.WriteFile(file, []byte("REDIS_PASSWORD=x\n"+row.file), 0o600); err != nil {
			t.Fatal(err)
		}
		c := &composed{root: root, env: append([]string{"PATH=" + dir + ":" + os.Getenv("PATH"), "ENV_FILE=" + file,
			"PROJECT=p"}, row.env...)}
		want := "compose -f deploy/compose.yaml " + row.want + "--env-file " + file + " -p p up\n"
		if got, err := c.compose(story.Context(t), "up"); err != nil || got != want {
			t.Errorf("%s: got %q and %v, want %q", row.name, got, err, want)
		}
	}
	for _, line := range []string{
		"COMPOSE_FILES=\"a.yaml\" # roles", "COMPOSE_FILES='a.yaml' # roles", " COMPOSE_FILES=a.yaml",
		"export COMPOSE_FILES=a.yaml",
	} {
		file := filepath.Join(dir, "env")
		if err := os.WriteFile(file, []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c := &composed{root: root, env: []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "ENV_FILE=" + file}}
		if got, err := c.compose(story.Context(t), "up"); err == nil {
			t.Errorf("%s: got %q, want a refusal", line, got)
		}
	}
}
