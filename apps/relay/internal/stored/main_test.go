package stored_test

import (
	"os"
	"testing"

	"github.com/tollgate/tollgate/apps/relay/internal/relaytest"
	"github.com/tollgate/tollgate/libs/store/storetest"
)

// token is the token of most calls.
const token = relaytest.Token

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }
