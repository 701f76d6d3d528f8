package shipped

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

// TestStandalone_ServesItsDemo starts one container with all programs and a read-only root file system, and
// calls the demo's model with the token that it prints.
func TestStandalone_ServesItsDemo(t *testing.T) {
	kit := suite.images(t)
	s := &Stack{kit: kit}
	c, ports, err := s.add(story.Context(t), part{name: "standalone", image: kit.image("standalone"),
		ports: []int{8080, 8082}, confined: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	c.ready = readyAt(fmt.Sprintf("http://127.0.0.1:%d", ports[1]))
	if err := c.Start(story.Context(t)); err != nil {
		t.Fatal(err)
	}
	output := c.Tail(100)
	token := regexp.MustCompile(`Token +(\S+)`).FindStringSubmatch(output)
	if token == nil {
		t.Fatalf("no token in the output %s", output)
	}
	client := sdk(fmt.Sprintf("http://127.0.0.1:%d", ports[0]), token[1])
	page, err := client.Models.List(story.Context(t))
	if err != nil || len(page.Data) == 0 {
		t.Fatalf("models: got %v, %+v", err, page)
	}
	if got, err := client.Chat.Completions.New(story.Context(t), hello(page.Data[0].ID)); err != nil ||
		len(got.Choices) != 1 {
		t.Errorf("the first call: got %v, %+v", err, got)
	}
}
