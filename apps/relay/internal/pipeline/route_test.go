package pipeline

import (
	"reflect"
	"testing"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/routing"
	"github.com/tollgate/tollgate/libs/wire/openai"
)

func TestNeeds_FollowTheRequest(t *testing.T) {
	for extra, want := range map[string]routing.Needs{
		``:                   {},
		`,"stream":true`:     {Stream: true},
		`,"tools":[{"x":1}]`: {Tools: true},
		`,"response_format":{"type":"json_object"}`:                                                               {StructuredOutput: true},
		`,"x":[{"type":"image_url","image_url":{"url":"https://i.example"}}],"stream":true,"functions":[{"n":1}]`: {Stream: true, Tools: true, Vision: true},
	} {
		request, err := openai.ScanRequest([]byte(`{"model":"m","messages":[]`+extra+`}`), catalog.Chat)
		if err != nil {
			t.Fatal(err)
		}
		if got := needs(request); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", extra, got, want)
		}
	}
}
