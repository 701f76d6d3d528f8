package spreadsheet_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tollgate/tollgate/libs/core/spreadsheet"
)

func FuzzCell(f *testing.F) {
	for _, text := range []string{"", "a", "=1+1", "+1", "-1", "@x", "\t=1", "  =1", "＝1", "'=1", "a\r\nb", "\x00=",
		"ci, \"x\"", "\xff=1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		safe := spreadsheet.Cell(text)
		if first, _ := utf8.DecodeRuneInString(strings.TrimSpace(safe)); strings.ContainsRune(
			"=+-@\uFF1D\uFF0B\uFF0D\uFF20", first) && first != utf8.RuneError {
			t.Errorf("Cell(%q): got %q, which is a formula", text, safe)
		}
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		w.UseCRLF = true
		if err := w.Write([]string{"first", safe}); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		rows, err := csv.NewReader(&file).ReadAll()
		if err != nil || len(rows) != 1 || rows[0][1] != safe {
			t.Errorf("%q in a CSV file: got %q, error %v", safe, rows, err)
		}
	})
}
