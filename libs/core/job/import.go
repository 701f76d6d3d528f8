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
	Applied  bool             `json:"applied" doc:"Whether the changes were made; if false, nothing was changed"`
	Changes  int              `json:"changes" doc:"Number of resources that are created or changed; 0 if everything is as declared"`
	Deeds    []ImportedThing  `json:"deeds" doc:"The changes in order, at most 1,000"`
	Warnings []string         `json:"warnings" doc:"Declarations of the manifest that an import cannot carry out"`
	Faults   []CatalogueFault `json:"faults" doc:"Faults of the manifest; if there are any, nothing was changed"`
	Tokens   int              `json:"tokens" doc:"Number of tokens that are created with a generated value"`
}

// ImportedThing names one resource that an import creates or changes.
type ImportedThing struct {
	Action string `json:"action" enum:"created,changed"`
	Thing  string `json:"thing" enum:"group,group_rule,model,price,channel,tenant,user,token,operator"`
	Name   string `json:"name"`
}

// CatalogueFault describes one fault in a manifest. It contains no value that could be a secret.
type CatalogueFault struct {
	Line int    `json:"line" doc:"Line in the manifest; 0 if the fault belongs to no single line"`
	Key  string `json:"key" doc:"Path such as channels[0].models; empty for the manifest as a whole"`
	Text string `json:"text"`
}

// ImportedToken is a token that an import created without a given value, with the value that it got. Results keep
// these values sealed; they can be read once.
type ImportedToken struct {
	Tenant string `json:"tenant" doc:"Slug of the tenant"`
	User   string `json:"user" doc:"E-mail address of the user"`
	Name   string `json:"name"`
	Value  string `json:"value"`
}

// InputPurpose returns the purpose for which the input of a job is sealed. It binds the ciphertext to the job, so
// that a copy in the row of another job cannot be opened.
func InputPurpose(id uuid.UUID) string { return "job-input " + id.String() }

// SecretPurpose returns the purpose for which the secret of a job's result is sealed, as InputPurpose does for the
// input.
func SecretPurpose(id uuid.UUID) string { return "job-secret " + id.String() }
