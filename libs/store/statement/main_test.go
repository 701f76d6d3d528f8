package statement_test

import (
	"context"
	"os"
	"testing"

	"github.com/tollgate/tollgate/libs/store/storetest"
)

var (
	background = context.Background()
	platform   = storetest.Platform
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }
