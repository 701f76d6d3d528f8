package oneapi

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/catalog"
	"github.com/tollgate/tollgate/libs/core/problem"
	"github.com/tollgate/tollgate/libs/manifest"
)

// enabled is the state of enabled channels and keys in the old program.
const enabled = 1

// channelInfo is the content of new-api's column channel_info.
// A key has an entry in States only if its state has changed.
type channelInfo struct {
	Many   bool        `json:"is_multi_key"`
	States map[int]int `json:"multi_key_status_list"` // by the position of the key, from 0
}

// partedKeys holds the channel types, by program, whose keys can contain several credentials that are separated by |.
var partedKeys = map[string][]int64{newAPI: {45, 46}} // Volcengine, Baidu

// keys returns the keys of the channel, which are one per line. It leaves out keys that
// are disabled or consist of several credentials, and adds notes with their number.
func (m *importer) keys(r row, name string) []string {
	var info channelInfo
	if text := r.text("channel_info"); text != "" && json.Unmarshal([]byte(text), &info) != nil {
		m.note("channel", name, "its channel_info is not imported: it does not have the form that new-api writes")
	}
	var keys []string
	disabled, compounds := 0, 0
	for i, key := range strings.Split(r.text("key"), "\n") {
		if state, ok := info.States[i]; info.Many && ok && state != enabled {
			disabled++
			continue
		}
		if slices.Contains(partedKeys[m.program], r.number("type", 0)) && strings.Contains(key, "|") {
			compounds++
			continue
		}
		keys = append(keys, key)
	}
	if disabled > 0 {
		m.note("channel", name, "keys that are not imported because they are disabled: %d", disabled)
	}
	if compounds > 0 {
		m.note("channel", name, "keys that are not imported because they consist of several credentials: %d", compounds)
	}
	return trimmed(keys)
}

// channelConfig holds the imported members of one-api's column config.
type channelConfig struct {
	APIVersion string `json:"api_version"`
}

// channelSetting holds the imported members of new-api's column setting.
type channelSetting struct {
	SystemPrompt string `json:"system_prompt"`
	// The prompt is put before the system prompt of a request that has one.
	Before bool   `json:"system_prompt_override"`
	Proxy  string `json:"proxy"`
}

// elsewhere holds columns that change the behavior of a channel and have to be configured by hand in Tollgate.
var elsewhere = []string{"status_code_mapping", "header_override"}

// settings imports the settings of a channel and adds notes for those that it cannot import.
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
		if r.isSet(column) {
			m.note("channel", c.Name, "its %s is not imported: see the settings of channels", column)
		}
	}
	m.noteMembers(r, c, "settings")
}

// version imports the API version of Azure channels. Other channels with a version get a note.
func (m *importer) version(r row, c *manifest.Channel, s *manifest.Settings) {
	var config channelConfig
	if text := r.text("config"); text != "" && json.Unmarshal([]byte(text), &config) != nil {
		m.note("channel", c.Name, "its config is not imported: it is not a JSON object")
	}
	version := cmp.Or(config.APIVersion, r.text("other"))
	switch {
	case c.Type == "azure" && version == "":
		m.note("channel", c.Name, "has no API version: Azure's newest API is called; set settings.api_version for "+
			"an older one")
	case c.Type == "azure":
		s.APIVersion = version
	case version != "" && !(c.Type == "gemini" && version == "v1beta"):
		m.note("channel", c.Name, "its version %q is not imported", version)
	}
}

// prompt imports the system prompt and the proxy. Tollgate puts the prompt before the
// instructions of each request; a note says so if the old program did something else.
func (m *importer) prompt(r row, c *manifest.Channel, s *manifest.Settings) {
	var setting channelSetting
	if text := r.text("setting"); text != "" && json.Unmarshal([]byte(text), &setting) != nil {
		m.note("channel", c.Name, "its setting is not imported: it does not have the form that new-api writes")
	}
	switch {
	case r.text("system_prompt") != "":
		s.SystemPrompt = r.text("system_prompt")
		m.note("channel", c.Name, "its system prompt is put before the instructions of each request; the old "+
			"program replaced them with it")
	case setting.SystemPrompt != "":
		s.SystemPrompt = setting.SystemPrompt
		if !setting.Before {
			m.note("channel", c.Name, "its system prompt is put before the instructions of each request; the old "+
				"program used it only for requests without instructions")
		}
	}
	switch err := catalog.CheckProxy(setting.Proxy); {
	case setting.Proxy == "":
	case err != nil:
		m.note("channel", c.Name, "its proxy is not imported: %s", problem.From(err).Text())
	default:
		s.ProxyURL = setting.Proxy
	}
	m.noteMembers(r, c, "setting", "system_prompt", "system_prompt_override", "proxy")
}

// parameters imports the members of the column param_override that Tollgate allows as parameters.
func (m *importer) parameters(r row, c *manifest.Channel, s *manifest.Settings) {
	if !r.isSet("param_override") {
		return
	}
	var set map[string]json.RawMessage
	if json.Unmarshal([]byte(r.text("param_override")), &set) != nil || set["operations"] != nil {
		m.note("channel", c.Name, "its param_override is not imported: it contains more than parameters")
		return
	}
	s.Parameters = map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		setting := catalog.Settings{Parameters: map[string]json.RawMessage{name: set[name]}}
		if err := setting.Check(); err != nil {
			m.note("channel", c.Name, "its param_override is imported only in part: %s", problem.From(err).Text())
			continue
		}
		s.Parameters[name] = set[name]
	}
}

// noteMembers adds a note with the members of a column's JSON object
// that are set and not among the known ones, which are imported.
func (m *importer) noteMembers(r row, c *manifest.Channel, column string, except ...string) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(r.text(column)), &members) != nil {
		return
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(except, name) && !empty(strings.Trim(string(members[name]), `"`)) {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		m.note("channel", c.Name, "these members of its %s are not imported: %s", column, strings.Join(names, ", "))
	}
}
