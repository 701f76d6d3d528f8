package e2e

import "testing"

func TestNodeSDK(t *testing.T) {
	needNode(t)
	npmInstall(t, "node")
	w := commonWorld(t)
	env := []string{"TOLLGATE_URL=" + w.Relay.URL, "ACME_TOKEN=" + acmeToken, "NARROW_TOKEN=" + narrowToken, "BROKE_TOKEN=" + brokeToken}
	node(t, env, "--test", "sdk.test.mjs")
}
