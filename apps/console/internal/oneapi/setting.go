package oneapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/manifest"
)

// enabled is the state of channels and of their keys there.
const enabled = 1

// channelInfo is new-api's column channel_info. A key has no state there until
// it is disabled.
type channelInfo struct {
	Many   bool        `json:"is_multi_key"`
	States map[int]int `json:"multi_key_status_list"` // by the key's place
}

// partedKeys are the types whose key may have other credentials behind it.
var partedKeys = map[string][]int64{newAPI: {45, 46}} // Volcengine, Baidu

// keys are the channel's keys, one in each line, without those that are
// disabled one by one.
func (m *importer) keys(r row, name string) []string {
	var info channelInfo
	if text := r.text("channel_info"); text != "" && json.Unmarshal([]byte(text), &info) != nil {
		m.note("channel", name, "its channel_info is not carried over: it is not new-api's")
	}
	var keys []string
	disabled, parted := 0, 0
	for i, key := range strings.Split(r.text("key"), "\n") {
		if state, said := info.States[i]; info.Many && said && state != enabled {
			disabled++
			continue
		}
		if slices.Contains(partedKeys[m.program], r.number("type", 0)) && strings.Contains(key, "|") {
			parted++
			continue
		}
		keys = append(keys, key)
	}
	if disabled > 0 {
		m.note("channel", name, "keys that are not carried over, for they are disabled: %d", disabled)
	}
	if parted > 0 {
		m.note("channel", name, "keys that are not carried over, for they have several parts: %d", parted)
	}
	return trimmed(keys)
}

// channelConfig are the parts of one-api's column config that matter here.
type channelConfig struct {
	APIVersion string `json:"api_version"`
}

// channelSetting are the parts of new-api's column setting that matter here.
type channelSetting struct {
	SystemPrompt string `json:"system_prompt"`
	Before       bool   `json:"system_prompt_override"` // it is put before that of a call, too
	Proxy        string `json:"proxy"`
}

// elsewhere are columns that change what a channel does, and have to be set by
// hand here.
var elsewhere = []string{"status_code_mapping", "header_override"}

// settings carries over what a channel sets on its calls, and tells of what it
// does besides.
func (m *importer) settings(r row, c *manifest.Channel) {
	s := &manifest.Settings{}
	m.version(r, c, s)
	m.prompt(r, c, s)
	m.parameters(r, c, s)
	if organization := r.text("open_ai_organization"); organization != "" && r.number("type", 0) == 1 {
		s.Headers = map[string]string{"OpenAI-Organization": organization}
	}
	if s.SystemPrompt != "" || s.APIVersion != "" || s.ProxyURL != "" || len(s.Parameters) > 0 || len(s.Headers) > 0 {
		c.Settings = s
	}
	for _, column := range elsewhere {
		if r.says(column) {
			m.note("channel", c.Name, "its %s is not carried over: see the settings of channels", column)
		}
	}
	m.tellOf(r, c, "settings")
}

// version carries over Azure's.
func (m *importer) version(r row, c *manifest.Channel, s *manifest.Settings) {
	var config channelConfig
	if text := r.text("config"); text != "" && json.Unmarshal([]byte(text), &config) != nil {
		m.note("channel", c.Name, "its config is not carried over: it is no JSON object")
	}
	version := nameOr(config.APIVersion, r.text("other"))
	switch {
	case c.Type == "azure" && version == "":
		m.note("channel", c.Name, "has no API version: Azure's newest paths are called; set settings.api_version for others")
	case c.Type == "azure":
		s.APIVersion = version
	case version != "" && !(c.Type == "gemini" && version == "v1beta"):
		m.note("channel", c.Name, "its version %q is not carried over", version)
	}
}

// prompt carries over the system prompt and the proxy. The prompt is put before
// the instructions of each call here; there it is not.
func (m *importer) prompt(r row, c *manifest.Channel, s *manifest.Settings) {
	var setting channelSetting
	if text := r.text("setting"); text != "" && json.Unmarshal([]byte(text), &setting) != nil {
		m.note("channel", c.Name, "its setting is not carried over: it is not new-api's")
	}
	switch {
	case r.text("system_prompt") != "":
		s.SystemPrompt = r.text("system_prompt")
		m.note("channel", c.Name, "its system prompt is put before the instructions of each call: there it stood in their place")
	case setting.SystemPrompt != "":
		s.SystemPrompt = setting.SystemPrompt
		if !setting.Before {
			m.note("channel", c.Name, "its system prompt is put before the instructions of each call: there only calls without any had it")
		}
	}
	switch err := catalog.CheckProxy(setting.Proxy); {
	case setting.Proxy == "":
	case err != nil:
		m.note("channel", c.Name, "its proxy is not carried over: %s", problem.From(err).Text())
	default:
		s.ProxyURL = setting.Proxy
	}
	m.tellOf(r, c, "setting", "system_prompt", "system_prompt_override", "proxy")
}

// parameters carries over the param_override, one by one.
func (m *importer) parameters(r row, c *manifest.Channel, s *manifest.Settings) {
	if !r.says("param_override") {
		return
	}
	var set map[string]json.RawMessage
	if json.Unmarshal([]byte(r.text("param_override")), &set) != nil || set["operations"] != nil {
		m.note("channel", c.Name, "its param_override is not carried over: it is not an object of parameters alone")
		return
	}
	s.Parameters = map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		one := catalog.Settings{Parameters: map[string]json.RawMessage{name: set[name]}}
		if err := one.Check(); err != nil {
			m.note("channel", c.Name, "its param_override is not carried over whole: %s", problem.From(err).Text())
			continue
		}
		s.Parameters[name] = set[name]
	}
}

// tellOf tells of the members of a column that are set and not carried over.
func (m *importer) tellOf(r row, c *manifest.Channel, column string, known ...string) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(r.text(column)), &members) != nil {
		return
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(known, name) && !empty(strings.Trim(string(members[name]), `"`)) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		m.note("channel", c.Name, "of its %s these are not carried over: %s", column, strings.Join(names, ", "))
	}
}
