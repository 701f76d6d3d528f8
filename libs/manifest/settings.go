package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/tollgate/tollgate/libs/core/catalog"
)

// Settings declares all settings of a channel. In contrast to other optional keys, a setting that the file omits is
// removed from an existing channel, unless the file omits the settings as a whole.
type Settings struct {
	catalog.Settings `yaml:",inline"` // its Proxy is not used
	ProxyURL         string           `yaml:"proxy"` // URL with credentials, "" for none
}

// settings returns a reader that stores the settings of a channel in out.
func (d *decoder) settings(out **Settings) reader {
	return func(node ast.Node, path string) {
		*out = &Settings{}
		s := *out
		wait := func(out *time.Duration) reader { return value(d, out, time.ParseDuration, "a duration such as 30s") }
		d.object(node, path, keys{
			"headers":       d.texts(&s.Headers),
			"parameters":    d.parameters(&s.Parameters),
			"system_prompt": d.text(&s.SystemPrompt),
			"api_version":   d.text(&s.APIVersion),
			"account_of":    d.text(&s.AccountOf),
			"quirks": listOf(d, &s.Quirks, func(n ast.Node, at string) catalog.Quirk {
				return catalog.Quirk(d.string(n, at))
			}),
			"lacks": listOf(d, &s.Lacks, func(n ast.Node, at string) catalog.Feature {
				return catalog.Feature(d.string(n, at))
			}),
			"ignored_fields":     value(d, &s.IgnoredFields, parseIgnoredFields, expectIgnoredFields),
			"proxy":              d.text(&s.ProxyURL),
			"ca":                 d.text(&s.CA),
			"connect_timeout":    wait(&s.ConnectTimeout),
			"first_byte_timeout": wait(&s.FirstByteTimeout),
			"idle_timeout":       wait(&s.IdleTimeout),
		})
	}
}

// parameters returns a reader that stores a mapping of JSON values in out.
func (d *decoder) parameters(out *map[string]json.RawMessage) reader {
	return func(node ast.Node, path string) {
		*out = map[string]json.RawMessage{}
		d.each(node, path, func(name string, value ast.Node, at string) {
			(*out)[name] = d.json(value, at)
		})
	}
}

// each calls entry for each key of a mapping whose keys are not known in advance. It records a fault for duplicate keys
// and skips them.
func (d *decoder) each(node ast.Node, path string, entry func(name string, value ast.Node, at string)) {
	d.lines[path] = lineOf(node)
	pairs, _ := d.pairs(node, path)
	names := map[string]bool{}
	for _, pair := range pairs {
		name, ok := d.key(pair, path)
		if !ok {
			continue
		}
		at := join(path, name)
		if names[name] {
			d.fault(lineOf(pair.Key), at, "duplicate key")
			continue
		}
		names[name] = true
		d.lines[at] = lineOf(pair.Key)
		entry(name, pair.Value, at)
	}
}

// json returns a value of any kind as JSON. Numbers keep their spelling, and texts may have variables. It records a
// fault for YAML numbers that are not valid JSON, such as 0x10.
func (d *decoder) json(node ast.Node, path string) json.RawMessage {
	switch n := d.plain(node, path).(type) {
	case nil, *ast.NullNode:
		return json.RawMessage("null")
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		text := strings.TrimSpace(n.GetToken().Value)
		if !json.Valid([]byte(text)) {
			d.fault(lineOf(n), path, "must be written as in JSON")
		}
		return json.RawMessage(text)
	case *ast.SequenceNode:
		return d.jsonList(n, path)
	case *ast.MappingNode, *ast.MappingValueNode:
		return d.jsonObject(n, path)
	}
	s, _ := d.scalar(node, path)
	quoted, _ := json.Marshal(s.text) // a string always marshals
	return quoted
}

// jsonList returns a sequence as a JSON array.
func (d *decoder) jsonList(list *ast.SequenceNode, path string) json.RawMessage {
	values := make([]string, len(list.Values))
	for i, value := range list.Values {
		values[i] = string(d.json(value, fmt.Sprintf("%s[%d]", path, i)))
	}
	return json.RawMessage("[" + strings.Join(values, ",") + "]")
}

// jsonObject returns a mapping as a JSON object with the keys in the order of the file.
func (d *decoder) jsonObject(node ast.Node, path string) json.RawMessage {
	var fields []string
	d.each(node, path, func(name string, value ast.Node, at string) {
		quoted, _ := json.Marshal(name) // a string always marshals
		fields = append(fields, string(quoted)+":"+string(d.json(value, at)))
	})
	return json.RawMessage("{" + strings.Join(fields, ",") + "}")
}

// checkProxy checks the proxy's URL. The check of the channel does not see it, because a channel holds it sealed.
func (d *decoder) checkProxy(path string, s *Settings) {
	if s != nil && s.ProxyURL != "" {
		d.problem(path, catalog.CheckProxy(s.ProxyURL))
	}
}

// unsealed returns the settings for validation. Their proxy has a mask but no sealed URL.
func (s *Settings) unsealed() catalog.Settings {
	if s == nil {
		return catalog.Settings{}
	}
	settings := s.Settings
	settings.Proxy = catalog.SealedSecret{Mask: catalog.MaskProxy(s.ProxyURL)}
	if s.ProxyURL == "" {
		settings.Proxy = catalog.SealedSecret{}
	}
	return settings
}

// settings returns the settings to store in place of the earlier ones. If the proxy's URL did not change, it keeps the
// old sealed form, because a new one would differ and look like a change.
func (a *applier) settings(want *Settings, before *catalog.Settings) (catalog.Settings, error) {
	settings := want.unsealed()
	if want == nil || want.ProxyURL == "" {
		return settings, nil
	}
	if current, err := a.sealer.OpenProxy(before.Proxy); err == nil && current == want.ProxyURL {
		settings.Proxy = before.Proxy
		return settings, nil
	}
	proxy, err := a.sealer.SealProxy(want.ProxyURL)
	settings.Proxy = proxy
	return settings, err
}
