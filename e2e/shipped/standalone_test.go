package shipped

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/tollgate/tollgate/e2e/story"
)

// One container with everything, its root read-only, serves its demo with the
// token that it prints.
func TestStandalone(t *testing.T) {
	kit := props.images(t)
	s := &Stack{kit: kit}
	c, ports, err := s.add(story.Context(t), part{name: "standalone", image: kit.image("standalone"), ports: []int{8080, 8082}, confined: true})
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
	said := c.Tail(100)
	token := regexp.MustCompile(`Token +(\S+)`).FindStringSubmatch(said)
	if token == nil {
		t.Fatalf("no token in %s", said)
	}
	client := sdk(fmt.Sprintf("http://127.0.0.1:%d", ports[0]), token[1])
	page, err := client.Models.List(story.Context(t))
	if err != nil || len(page.Data) == 0 {
		t.Fatalf("models: %v, %+v", err, page)
	}
	if got, err := client.Chat.Completions.New(story.Context(t), hello(page.Data[0].ID)); err != nil || len(got.Choices) != 1 {
		t.Errorf("the first call: %v, %+v", err, got)
	}
}
