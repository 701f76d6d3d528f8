package contract

import (
	"slices"
	"testing"
)

// sdkImage, sdkText and sdkPart are a union as openai-go writes it.
type (
	sdkText struct {
		Type string `json:"type" api:"required"`
		Text string `json:"text"`
	}
	sdkImage struct {
		Type   string            `json:"type" api:"required"`
		URL    string            `json:"url" api:"required"`
		Detail string            `json:"detail"`
		Labels map[string]string `json:"labels"`
	}
	sdkPart struct {
		OfText  *sdkText  `json:",omitzero,inline"`
		OfImage *sdkImage `json:",omitzero,inline"`
	}
	sdkMessage struct {
		Content []sdkPart `json:"content" api:"required"`
		Name    string    `json:"name"`
		Skipped string    `json:"-"`
	}
)

func TestMissing_NamesFieldsVariantsKindsAndValues(t *testing.T) {
	t.Parallel()
	document := parse(t)
	pairs := map[string]string{"message": "POST /v1/things/{id} request"}
	got, err := document.Missing(GoTypes(map[string]any{"message": sdkMessage{}}), pairs)
	want := []string{
		"POST /v1/things/{id} request.content[].detail",
		"POST /v1/things/{id} request.content[].labels",
		"POST /v1/things/{id} request.content[].text: left out",
		"POST /v1/things/{id} request.name",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}

	part := func(kind string, fields object) object {
		fields["type"] = object{"const": kind}
		return object{"type": "object", "properties": fields, "required": []any{"type", "text", "url"}}
	}
	types :=
		Types{Roots: map[string]any{"message": object{"type": "object", "required": []any{"content"},
			"properties": object{
				"size": object{"enum": []any{"small", "large"}},
				"tone": object{"anyOf": []any{object{"type": "string"}, object{"const": "kind"}}},
				"content": object{"anyOf": []any{object{"type": "string"},
					object{"type": "array", "items": object{"anyOf": []any{
						part("text", object{"text": object{"type": []any{"string", "null"}}}),
						part("image", object{"detail": object{"type": "string"}}),
						part("sound", object{"url": object{"type": "string"}}),
					}}}}},
			}}}}
	got, err = document.Missing(types, pairs)
	want = []string{
		"POST /v1/things/{id} request.content: string",
		"POST /v1/things/{id} request.content[][type=image].detail",
		"POST /v1/things/{id} request.content[][type=sound]",
		"POST /v1/things/{id} request.content[][type=text].text: null",
		"POST /v1/things/{id} request.size=large",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
}
