package upstream

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestAFailedChannelRestsLongerEachTime(t *testing.T) {
	now := time.Now()
	h := NewHealth(func() time.Time { return now })
	channel := uuid.New()
	for _, want := range []int{1, 2, 4, 8, 16, 32, 60, 60} {
		h.Failed(channel, 0)
		now = now.Add(time.Duration(want)*time.Second - 1)
		if !h.Cooling(channel) {
			t.Errorf("not resting just before %d s", want)
		}
		now = now.Add(1)
		if h.Cooling(channel) {
			t.Errorf("still resting after %d s", want)
		}
	}
	h.Served(channel)
	h.Failed(channel, 0)
	now = now.Add(time.Second)
	if h.Cooling(channel) {
		t.Error("a success did not end the series")
	}
}

func TestAChannelRestsAsLongAsItAskedWithinBounds(t *testing.T) {
	now := time.Now()
	h := NewHealth(func() time.Time { return now })
	for asked, want := range map[time.Duration]time.Duration{20 * time.Second: 20 * time.Second, time.Hour: maxRest} {
		channel := uuid.New()
		h.Failed(channel, asked)
		if now = now.Add(want - 1); !h.Cooling(channel) {
			t.Errorf("asked for %v: not resting just before %v", asked, want)
		}
		if now = now.Add(1); h.Cooling(channel) {
			t.Errorf("asked for %v: still resting after %v", asked, want)
		}
	}
	if h.Cooling(uuid.New()) {
		t.Error("a channel that never failed rests")
	}
}
