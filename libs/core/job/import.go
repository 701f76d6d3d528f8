package job

import "github.com/google/uuid"

const (
	// MaxManifest is the largest manifest that can be imported, in bytes.
	MaxManifest = 512 << 10
	// MaxShownChanges is the largest number of changes that a result lists.
	MaxShownChanges = 1000
)

// ImportParameters are the parameters of a ManifestImport job. The manifest itself, which may contain secrets, is
// the job's sealed input.
type ImportParameters struct {
	Apply bool `json:"apply"` // false: only report what an import would change
	Bytes int  `json:"bytes"` // size of the manifest
}

// ImportResult is the result of a ManifestImport job: the changes that it made or would make, and the faults
// that it found. The JSON names are older than the word manifest and stay.
type ImportResult struct {
	Applied  bool             `json:"applied" doc:"false: nothing was changed"`
	Changes  int              `json:"changes" doc:"Things made or changed; 0 where all is as declared"`
	Deeds    []ImportedThing  `json:"deeds" doc:"What they are, in order, up to 1,000"`
	Warnings []string         `json:"warnings" doc:"What the catalogue asks for and an import cannot do"`
	Faults   []CatalogueFault `json:"faults" doc:"What is wrong in the catalogue; nothing was changed then"`
	Tokens   int              `json:"tokens" doc:"How many tokens are made without a given value"`
}

// ImportedThing names one resource that an import creates or changes.
type ImportedThing struct {
	Action string `json:"action" enum:"created,changed"`
	Thing  string `json:"thing" enum:"group,group_rule,model,price,channel,tenant,user,token,operator"`
	Name   string `json:"name"`
}

// CatalogueFault describes one fault in a manifest. It contains no value that could be a secret.
type CatalogueFault struct {
	Line int    `json:"line" doc:"Of the catalogue; 0 where it is none of one line"`
	Key  string `json:"key" doc:"Path such as channels[0].models; empty for the catalogue itself"`
	Text string `json:"text"`
}

// ImportedToken is a token that an import created without a given value, with the value that it got. Results keep
// these values sealed; they can be read once.
type ImportedToken struct {
	Tenant string `json:"tenant" doc:"Slug"`
	User   string `json:"user" doc:"E-mail address"`
	Name   string `json:"name"`
	Value  string `json:"value"`
}

// InputPurpose returns the purpose for which the input of a job is sealed. It binds the ciphertext to the job, so
// that a copy in the row of another job cannot be opened.
func InputPurpose(id uuid.UUID) string { return "job-input " + id.String() }

// SecretPurpose returns the purpose for which the secret of a job's result is sealed, as InputPurpose does for the
// input.
func SecretPurpose(id uuid.UUID) string { return "job-secret " + id.String() }
