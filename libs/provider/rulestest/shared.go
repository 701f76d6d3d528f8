package rulestest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// The checks here are those that chat completions and responses share.

func bearer(e envelope) *fault {
	if key, ok := strings.CutPrefix(e.header.Get("Authorization"), "Bearer "); !ok || key == "" {
		return &fault{text: "You didn't provide an API key.", status: http.StatusUnauthorized}
	}
	return nil
}

var dated = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(-preview)?$`)

func azureVersion(e envelope) *fault {
	if strings.Contains(e.url.Path, "/openai/deployments/") && !dated.MatchString(e.url.Query().Get("api-version")) {
		return &fault{text: "Resource not found", code: "404", status: http.StatusNotFound}
	}
	return nil
}

func required(text, at string) *fault {
	if text == "" {
		return &fault{at: at, text: "Missing required parameter: '" + at + "'.", code: "missing_required_parameter"}
	}
	return nil
}

func oneOf(value, at string, values ...string) *fault {
	if slices.Contains(values, value) {
		return nil
	}
	return &fault{at: at, text: fmt.Sprintf("Invalid value: '%s'. Supported values are: '%s'.", value,
		strings.Join(values, "', '")), code: "invalid_value"}
}

func tooLong(at string, limit, n int) *fault {
	return &fault{at: at, text: fmt.Sprintf("string too long. Expected a string with maximum length %d, but got a "+
		"string with length %d instead.", limit, n), code: "string_above_max_length"}
}

func functionName(name, at string) *fault {
	switch {
	case name == "":
		return required("", at)
	case len(name) > 64:
		return tooLong(at, 64, len(name))
	case !isName(name, 64, ""):
		return &fault{at: at, text: "string does not match pattern. Expected a string that matches the pattern " +
			"'^[a-zA-Z0-9_-]+$'.", code: "invalid_value"}
	}
	return nil
}

func within(value *float64, at string, low, high float64) *fault {
	if value != nil && (*value < low || *value > high) {
		return &fault{at: at, text: fmt.Sprintf("Expected a value from %v to %v, but got %v instead.", low, high,
			*value), code: "decimal_above_max_value"}
	}
	return nil
}

func stops(raw json.RawMessage) *fault {
	var list []string
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if raw[0] == '"' {
		list = make([]string, 1)
		_ = json.Unmarshal(raw, &list[0])
	} else if err := json.Unmarshal(raw, &list); err != nil {
		return refuse("stop", "%v", err)
	}
	if len(list) > 4 || slices.Contains(list, "") {
		return &fault{at: "stop", text: "Expected an array with maximum length 4, of texts that are not empty.",
			code: "array_above_max_length"}
	}
	return nil
}

var reasoners = regexp.MustCompile(`^(o[134]($|-)|gpt-5)`)

// reasons reports whether a model of OpenAI reasons before each answer.
func reasons(model string) bool {
	model = model[strings.LastIndexByte(model, '/')+1:]
	return reasoners.MatchString(model) && !strings.Contains(model, "chat")
}

// fixed matches the reasoning models that always reason.
var fixed = regexp.MustCompile(`^(o\d|gpt-5(-|$))`)

// defaultSampling checks the sampling parameters of a model that reasons always or by default, which takes only their
// default. effort is that of the request, nil for none.
func defaultSampling(model string, effort *string, temperature, topP *float64) *fault {
	alwaysReasons := reasons(model) && fixed.MatchString(model[strings.LastIndexByte(model, '/')+1:])
	if !alwaysReasons && (!reasonsByDefault(model) || effort != nil && *effort == "none") {
		return nil
	}
	for at, value := range map[string]*float64{"temperature": temperature, "top_p": topP} {
		if value != nil && *value != 1 {
			return &fault{at: at, text: fmt.Sprintf("Unsupported value: '%s' does not support %v with this model. "+
				"Only the default (1) value is supported.", at, *value), code: "unsupported_value"}
		}
	}
	return nil
}

// toolless matches the reasoning models that take tools in chat completions only with the effort none.
var toolless = regexp.MustCompile(`^gpt-5\.[2-9]`)

// byDefault matches those of them that reason if the request names no effort.
var byDefault = regexp.MustCompile(`^gpt-5\.[5-9]`)

func reasonsByDefault(model string) bool { return reasons(model) && byDefault.MatchString(model) }

// answers matches models that do not reason.
var answers = regexp.MustCompile(`^(gpt-[34]|chatgpt-|gpt-5[0-9.]*-chat)`)

// effortOf checks the effort of a model.
func effortOf(model, effort, at string) *fault {
	if answers.MatchString(model[strings.LastIndexByte(model, '/')+1:]) {
		return &fault{at: at, text: "Unrecognized request argument supplied: " + at, code: "unsupported_parameter"}
	}
	if !reasons(model) {
		return nil
	}
	efforts := []string{"none", "minimal", "low", "medium", "high", "xhigh"}
	switch name := model[strings.LastIndexByte(model, '/')+1:]; {
	case name[0] == 'o':
		efforts = []string{"low", "medium", "high"}
	case fixed.MatchString(name):
		efforts = []string{"minimal", "low", "medium", "high"}
	case strings.HasPrefix(name, "gpt-5.1") && !strings.HasPrefix(name, "gpt-5.1-codex-max"):
		efforts = []string{"none", "low", "medium", "high"}
	}
	return oneOf(effort, at, efforts...)
}

// imageURL checks the URL of an image. OpenAI takes image/jpg for JPEG.
func imageURL(url, at string) *fault {
	data, isData := strings.CutPrefix(strings.ToLower(url), "data:")
	if !isData {
		if strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://") {
			return nil
		}
		return refuse(at, "Expected a valid URL, but got a value with an invalid format.")
	}
	kind, _, _ := strings.Cut(data, ",")
	kind, _, _ = strings.Cut(kind, ";")
	if oneOf(kind, at, "image/png", "image/jpeg", "image/jpg", "image/pjpeg", "image/gif", "image/webp") != nil {
		return &fault{text: "You uploaded an unsupported image. Please make sure your image has of one the " +
			"following formats: ['png', 'jpeg', 'gif', 'webp'].", code: "invalid_image_format"}
	}
	return nil
}

func strictSchema(strict *bool, schema json.RawMessage, at string) *fault {
	if strict == nil || !*strict {
		return nil
	}
	f := closed(schema, at)
	if f == nil {
		f = complete(schema, at)
	}
	if f != nil {
		f.code = "invalid_function_parameters"
	}
	return f
}

func objectSchema(schema json.RawMessage, at string) *fault {
	if len(schema) == 0 || string(schema) == "null" {
		return nil
	}
	fields := object(schema)
	if kind, ok := fields["type"]; fields == nil || ok && kind != "object" {
		return &fault{at: at, text: `Invalid schema: schema must be a JSON Schema of 'type: "object"'.`,
			code: "invalid_function_parameters"}
	}
	return nil
}

func metadata(pairs map[string]string) *fault {
	if len(pairs) > 16 {
		return refuse("metadata", "too many properties. Expected an object with at most 16 properties.")
	}
	for key, value := range pairs {
		if len(key) > 64 || len(value) > 512 {
			return tooLong("metadata", 512, len(value))
		}
	}
	return nil
}
