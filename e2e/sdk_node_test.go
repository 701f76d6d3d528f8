package e2e

import "testing"

// TestNodeSDK runs the tests of the official Node.js SDK in node/sdk.test.mjs, and those of embeddings with the
// libraries built on it.
func TestNodeSDK(t *testing.T) {
	needNode(t)
	npmInstall(t, "node")
	w := sharedTestbed(t)
	env := []string{"TOLLGATE_URL=" + w.Relay.URL, "ACME_TOKEN=" + acmeToken, "NARROW_TOKEN=" + narrowToken,
		"BROKE_TOKEN=" + brokeToken}
	node(t, env, "--test", "sdk.test.mjs", "embeddings.test.mjs")
}
