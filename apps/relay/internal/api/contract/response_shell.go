package contract

type responseShellTool struct {
	_              struct{}          `doc:"A shell, in a container of the provider or at the caller"`
	Type           string            `json:"type" enum:"shell"`
	Environment    *responseShellEnv `json:"environment,omitempty" null:"true"`
	AllowedCallers []string          `json:"allowed_callers,omitempty" null:"true" known:"direct,programmatic"`
}

type responseLocalShellTool struct {
	_    struct{} `doc:"A shell at the caller, older version"`
	Type string   `json:"type" enum:"local_shell"`
}

// responseShellEnv is the place where a shell runs.
type responseShellEnv struct {
	oneOf[responseShellEnv] `discriminator:"type" doc:"Where a shell runs"`
	Auto                    responseShellContainer `value:"container_auto"`
	Reference               responseContainer      `value:"container_reference"`
	Local                   responseLocalShellEnv  `value:"local"`
	Other                   responseOtherShellEnv  `value:"other"`
}

type responseShellContainer struct {
	_             struct{}               `doc:"A new container of the provider"`
	Type          string                 `json:"type" enum:"container_auto"`
	FileIDs       []string               `json:"file_ids,omitempty" null:"true" doc:"Files to copy into the container"`
	MemoryLimit   string                 `json:"memory_limit,omitempty" null:"true" known:"1g,4g,16g,64g"`
	NetworkPolicy *responseNetworkPolicy `json:"network_policy,omitempty" null:"true"`
	Skills        []responseSkill        `json:"skills,omitempty" null:"true"`
}

type responseContainer struct {
	_           struct{} `doc:"A container of the provider that exists"`
	Type        string   `json:"type" enum:"container_reference"`
	ContainerID string   `json:"container_id"`
}

type responseLocalShellEnv struct {
	_      struct{}             `doc:"The caller runs the commands"`
	Type   string               `json:"type" enum:"local"`
	Skills []responseLocalSkill `json:"skills,omitempty" null:"true"`
}

type responseOtherShellEnv struct {
	_    struct{} `doc:"A place that this document does not name"`
	Type string   `json:"type"`
}

// responseNetworkPolicy says which hosts a container can reach.
type responseNetworkPolicy struct {
	oneOf[responseNetworkPolicy] `discriminator:"type" doc:"Which hosts a container can reach"`
	Disabled                     responseNoNetwork          `value:"disabled"`
	Allowed                      responseAllowedHosts       `value:"allowlist"`
	Other                        responseOtherNetworkPolicy `value:"other"`
}

type responseNoNetwork struct {
	_    struct{} `doc:"No hosts"`
	Type string   `json:"type" enum:"disabled"`
}

type responseAllowedHosts struct {
	_              struct{}               `doc:"The hosts of these domains"`
	Type           string                 `json:"type" enum:"allowlist"`
	AllowedDomains []string               `json:"allowed_domains"`
	DomainSecrets  []responseDomainSecret `json:"domain_secrets,omitempty" null:"true" doc:"Secrets that the provider adds to requests, so that code does not see them"`
}

type responseDomainSecret struct {
	_      struct{} `doc:"A secret for requests to a domain"`
	Domain string   `json:"domain"`
	Name   string   `json:"name"`
	Value  string   `json:"value"`
}

type responseOtherNetworkPolicy struct {
	_    struct{} `doc:"A rule that this document does not name"`
	Type string   `json:"type"`
}

// responseSkill is a set of instructions and files for the model.
type responseSkill struct {
	oneOf[responseSkill] `discriminator:"type" doc:"A set of instructions and files that the model can use"`
	Reference            responseSkillReference `value:"skill_reference"`
	Inline               responseInlineSkill    `value:"inline"`
	Other                responseOtherSkill     `value:"other"`
}

type responseSkillReference struct {
	_       struct{} `doc:"A skill that the provider stores"`
	Type    string   `json:"type" enum:"skill_reference"`
	SkillID string   `json:"skill_id"`
	Version string   `json:"version,omitempty" null:"true"`
}

type responseInlineSkill struct {
	_           struct{}            `doc:"A skill in the request itself"`
	Type        string              `json:"type" enum:"inline"`
	Name        string              `json:"name"`
	Description string              `json:"description"`
	Source      responseSkillSource `json:"source"`
}

type responseSkillSource struct {
	_         struct{} `doc:"The files of a skill"`
	Type      string   `json:"type" known:"base64"`
	MediaType string   `json:"media_type" known:"application/zip"`
	Data      string   `json:"data" doc:"Base64"`
}

type responseLocalSkill struct {
	_           struct{} `doc:"A skill in the files of the caller"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Path        string   `json:"path"`
}

type responseOtherSkill struct {
	_    struct{} `doc:"A skill of a type that this document does not name"`
	Type string   `json:"type"`
}

type responseShellCall struct {
	_           struct{}            `doc:"Commands for a shell"`
	Type        string              `json:"type" enum:"shell_call"`
	ID          string              `json:"id,omitempty" null:"true"`
	CallID      string              `json:"call_id" doc:"Connects the call with its result"`
	Action      responseShellAction `json:"action"`
	Environment *responseShellEnv   `json:"environment,omitempty" null:"true"`
	Status      string              `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
	Caller      *responseCaller     `json:"caller,omitempty" null:"true"`
	CreatedBy   string              `json:"created_by,omitempty" null:"true"`
}

type responseShellAction struct {
	_               struct{} `doc:"Commands to run"`
	Commands        []string `json:"commands"`
	TimeoutMS       int64    `json:"timeout_ms,omitempty" null:"true" doc:"Milliseconds"`
	MaxOutputLength int64    `json:"max_output_length,omitempty" null:"true" doc:"Upper bound of the characters of the output"`
}

type responseShellCallOutput struct {
	_               struct{}              `doc:"What the commands of a shell_call printed"`
	Type            string                `json:"type" enum:"shell_call_output"`
	ID              string                `json:"id,omitempty" null:"true"`
	CallID          string                `json:"call_id" doc:"The call_id of the call"`
	Output          []responseShellResult `json:"output" doc:"One for each command"`
	MaxOutputLength int64                 `json:"max_output_length,omitempty" null:"true" doc:"Upper bound of the characters of the output"`
	Status          string                `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
	Caller          *responseCaller       `json:"caller,omitempty" null:"true"`
	CreatedBy       string                `json:"created_by,omitempty" null:"true"`
}

type responseShellResult struct {
	_         struct{}             `doc:"The result of a command"`
	Stdout    string               `json:"stdout"`
	Stderr    string               `json:"stderr"`
	Outcome   responseShellOutcome `json:"outcome"`
	CreatedBy string               `json:"created_by,omitempty" null:"true"`
}

// responseShellOutcome says how a command ended.
type responseShellOutcome struct {
	oneOf[responseShellOutcome] `discriminator:"type" doc:"How a command ended"`
	Exit                        responseShellExit         `value:"exit"`
	Timeout                     responseShellTimeout      `value:"timeout"`
	Other                       responseOtherShellOutcome `value:"other"`
}

type responseShellExit struct {
	_        struct{} `doc:"The command ended by itself"`
	Type     string   `json:"type" enum:"exit"`
	ExitCode int64    `json:"exit_code"`
}

type responseShellTimeout struct {
	_    struct{} `doc:"The command ran too long"`
	Type string   `json:"type" enum:"timeout"`
}

type responseOtherShellOutcome struct {
	_    struct{} `doc:"An end that this document does not name"`
	Type string   `json:"type"`
}

type responseLocalShellCall struct {
	_      struct{}                 `doc:"A command for a shell at the caller, older version"`
	Type   string                   `json:"type" enum:"local_shell_call"`
	ID     string                   `json:"id,omitempty" null:"true"`
	CallID string                   `json:"call_id" doc:"Connects the call with its result"`
	Action responseLocalShellAction `json:"action"`
	Status string                   `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
}

type responseLocalShellAction struct {
	_                struct{}          `doc:"A command to run"`
	Type             string            `json:"type" known:"exec"`
	Command          []string          `json:"command" doc:"The program and its arguments"`
	Env              map[string]string `json:"env,omitempty" null:"true" doc:"Environment variables"`
	TimeoutMS        int64             `json:"timeout_ms,omitempty" null:"true" doc:"Milliseconds"`
	User             string            `json:"user,omitempty" null:"true" doc:"The user that runs the command"`
	WorkingDirectory string            `json:"working_directory,omitempty" null:"true"`
}

type responseLocalShellOutput struct {
	_      struct{} `doc:"What the command of a local_shell_call printed"`
	Type   string   `json:"type" enum:"local_shell_call_output"`
	ID     string   `json:"id,omitempty" null:"true" doc:"The call_id of the call"`
	Output string   `json:"output" doc:"JSON"`
	Status string   `json:"status,omitempty" null:"true" known:"in_progress,completed,incomplete"`
}

type responseApplyPatchCall struct {
	_         struct{}               `doc:"An edit of a file, which the caller applies"`
	Type      string                 `json:"type" enum:"apply_patch_call"`
	ID        string                 `json:"id,omitempty" null:"true"`
	CallID    string                 `json:"call_id" doc:"Connects the call with its result"`
	Operation responsePatchOperation `json:"operation"`
	Status    string                 `json:"status,omitempty" null:"true" known:"in_progress,completed"`
	Caller    *responseCaller        `json:"caller,omitempty" null:"true"`
	CreatedBy string                 `json:"created_by,omitempty" null:"true"`
}

// responsePatchOperation is an edit of a file.
type responsePatchOperation struct {
	oneOf[responsePatchOperation] `discriminator:"type" doc:"An edit of a file"`
	Write                         responsePatchWrite          `value:"create_file,update_file"`
	Delete                        responsePatchDelete         `value:"delete_file"`
	Other                         responseOtherPatchOperation `value:"other"`
}

type responsePatchWrite struct {
	_    struct{} `doc:"Creates or changes a file"`
	Type string   `json:"type" enum:"create_file,update_file"`
	Path string   `json:"path"`
	Diff string   `json:"diff"`
}

type responsePatchDelete struct {
	_    struct{} `doc:"Deletes a file"`
	Type string   `json:"type" enum:"delete_file"`
	Path string   `json:"path"`
}

type responseOtherPatchOperation struct {
	_    struct{} `doc:"An edit that this document does not name"`
	Type string   `json:"type"`
}

type responseApplyPatchOutput struct {
	_         struct{}        `doc:"The result of an edit of a file"`
	Type      string          `json:"type" enum:"apply_patch_call_output"`
	ID        string          `json:"id,omitempty" null:"true"`
	CallID    string          `json:"call_id" doc:"The call_id of the call"`
	Status    string          `json:"status" known:"completed,failed"`
	Output    string          `json:"output,omitempty" null:"true" doc:"A text for the model"`
	Caller    *responseCaller `json:"caller,omitempty" null:"true"`
	CreatedBy string          `json:"created_by,omitempty" null:"true"`
}
