// Package foreign marks the thinking blocks that the gateway makes for clients of the dialect messages from the
// reasoning of another family of models. Such a block goes back to that family, and no other upstream gets it.
package foreign

// Mark begins the signature of such a thinking block, and the data of such a redacted one. Signatures that Anthropic's
// API made have no mark, because their bytes pass unchanged.
const Mark = "tollgate:"
