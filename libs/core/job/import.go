package job

import "github.com/google/uuid"

const (
	// MaxManifest is the greatest size in bytes of a manifest that is imported.
	MaxManifest = 512 << 10
	// MaxShownChanges is how many of the changes a result shows.
	MaxShownChanges = 1000
)

// ImportParameters are those of an import. The catalogue itself, which may hold
// secrets, is the job's sealed input.
type ImportParameters struct {
	Apply bool `json:"apply"` // false: only tell what would be done
	Bytes int  `json:"bytes"` // of the catalogue
}

// ImportResult tells what an import did, or would do.
type ImportResult struct {
	Applied  bool             `json:"applied" doc:"false: nothing was changed"`
	Changes  int              `json:"changes" doc:"Things made or changed; 0 where all is as declared"`
	Deeds    []ImportedThing  `json:"deeds" doc:"What they are, in order, up to 1,000"`
	Warnings []string         `json:"warnings" doc:"What the catalogue asks for and an import cannot do"`
	Faults   []CatalogueFault `json:"faults" doc:"What is wrong in the catalogue; nothing was changed then"`
	Tokens   int              `json:"tokens" doc:"How many tokens are made without a given value"`
}

// ImportedThing is one thing that is made or changed.
type ImportedThing struct {
	Action string `json:"action" enum:"created,changed"`
	Thing  string `json:"thing" enum:"group,group_rule,model,price,channel,tenant,user,token,operator"`
	Name   string `json:"name"`
}

// CatalogueFault is one thing that is wrong in a catalogue. It shows no value
// that could be secret.
type CatalogueFault struct {
	Line int    `json:"line" doc:"Of the catalogue; 0 where it is none of one line"`
	Key  string `json:"key" doc:"Path such as channels[0].models; empty for the catalogue itself"`
	Text string `json:"text"`
}

// ImportedToken is a token that an import made, with its value.
type ImportedToken struct {
	Tenant string `json:"tenant" doc:"Slug"`
	User   string `json:"user" doc:"E-mail address"`
	Name   string `json:"name"`
	Value  string `json:"value"`
}

// InputPurpose is what the input of a job is sealed for.
func InputPurpose(id uuid.UUID) string { return "job-input " + id.String() }

// SecretPurpose is what the secret of a job's result is sealed for.
func SecretPurpose(id uuid.UUID) string { return "job-secret " + id.String() }
