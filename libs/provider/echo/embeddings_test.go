package echo

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestEmbed_ReturnsTheSameVectorForTheSameInput(t *testing.T) {
	embed := func(body string) (vectors [][]float64, tokens int64) {
		t.Helper()
		r := newRequest(t, body)
		r.URL.Path = embeddingsPath
		response, err := NewTransport(clock).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		var got struct {
			Data []struct {
				Index     int
				Embedding []float64
			}
			Usage struct {
				Tokens int64 `json:"prompt_tokens"`
			}
		}
		if err := json.Unmarshal([]byte(readAll(t, response)), &got); err != nil {
			t.Fatal(err)
		}
		for i, d := range got.Data {
			if d.Index != i {
				t.Errorf("got the index %d at %d", d.Index, i)
			}
			vectors = append(vectors, d.Embedding)
		}
		return vectors, got.Usage.Tokens
	}
	one, tokens := embed(`{"model":"m","input":"two words","dimensions":3}`)
	many, more := embed(`{"model":"m","input":["another","two words",[1,2,3,4]],"dimensions":3}`)
	if len(one) != 1 || len(many) != 3 || tokens != 2 || more != 7 {
		t.Fatalf("got %v with %d tokens, %v with %d", one, tokens, many, more)
	}
	length := 0.0
	for i, n := range one[0] {
		length += n * n
		if many[1][i] != n || many[0][i] == n {
			t.Errorf("dimension %d: got %g for the text, %g for another", i, many[1][i], many[0][i])
		}
	}
	if math.Abs(length-1) > 1e-6 || len(one[0]) != 3 {
		t.Errorf("got a vector of the length %g: %v", length, one[0])
	}
}

func TestEmbed_PacksVectorsInBase64(t *testing.T) {
	r := newRequest(t, `{"model":"m","input":"two words","dimensions":3,"encoding_format":"base64"}`)
	r.URL.Path = embeddingsPath
	response, err := NewTransport(clock).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var got struct{ Data []struct{ Embedding []byte } }
	if err := json.Unmarshal([]byte(readAll(t, response)), &got); err != nil {
		t.Fatal(err)
	}
	vector := make([]float32, 3)
	if _, err := binary.Decode(got.Data[0].Embedding, binary.LittleEndian, vector); err != nil ||
		!slices.Equal(vector, vectorOf([]byte(`"two words"`), 3)) {
		t.Errorf("got %v, %v", vector, err)
	}
}

func TestEmbed_RefusesWithTheField(t *testing.T) {
	for _, c := range []struct{ param, body string }{
		{"input", `{"model":"m","input":[]}`},
		{"dimensions", `{"model":"m","input":"x","dimensions":4096}`},
		{"dimensions", `{"model":"m","input":["x"` + strings.Repeat(`,"x"`, maxNumbers/maxDimensions) +
			`],"dimensions":3072}`},
	} {
		r := newRequest(t, c.body)
		r.URL.Path = embeddingsPath
		response, err := NewTransport(clock).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Error struct{ Param string } }
		if err := json.Unmarshal([]byte(readAll(t, response)), &got); err != nil || response.StatusCode != 400 ||
			got.Error.Param != c.param {
			t.Errorf("%s: got %d, %+v", c.param, response.StatusCode, got)
		}
		_ = response.Body.Close()
	}
}
