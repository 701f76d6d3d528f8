package client_test

import (
	"context"
	"os"
	"testing"

	"github.com/tollgate/tollgate/libs/store/storetest"
)

var (
	background = context.Background()
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m)) }
