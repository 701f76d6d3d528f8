package invoice

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tollgate/tollgate/libs/core/problem"
)

// The bounds of an uploaded file.
const (
	MaxFile     = 512 << 10 // bytes
	maxFileRows = 10_000
	maxFileDays = 400
)

// The columns of an uploaded file. Day and amount are required.
var columns = []string{"day", "model", "key", "amount", "input_tokens", "output_tokens", "requests"}

// ParseCSV returns the charges of an uploaded file. Its first line names the columns, in any order: day (2026-11-23),
// amount (USD, a decimal), and optionally model, key, input_tokens, output_tokens and requests. Rows of the same day,
// model and key are added up. Problems name the line and the column at the field "csv".
//
// Cells that a spreadsheet would run as a formula are refused, because people export what they see here.
func ParseCSV(text string) (Report, error) {
	if len(text) > MaxFile {
		return Report{}, problem.New(problem.TooLarge, "A file may have at most %d bytes.", MaxFile).At("csv")
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return Report{}, lineProblem(1, "the first line must name the columns: %s", strings.Join(columns, ", "))
	}
	positions, err := columnsOf(header)
	if err != nil {
		return Report{}, err
	}
	book := NewBook(maxFileRows)
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Report{}, parseProblem(err)
		}
		line, _ := r.FieldPos(0)
		if err := addRow(book, line, positions, record); err != nil {
			return Report{}, err
		}
	}
	if len(book.days) == 0 {
		return Report{}, problem.New(problem.InvalidType, "The file has no charges.").At("csv")
	}
	report, err := book.Report()
	if err != nil {
		return Report{}, problem.New(problem.InvalidType, "The file has a sum that is too large: %s.", err).At("csv")
	}
	return report, nil
}

// parseProblem returns the problem of a line that is not CSV.
func parseProblem(err error) error {
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
		return lineProblem(parse.Line, "%v", parse.Err)
	}
	return lineProblem(1, "%v", err)
}

// lineProblem returns the problem of a line.
func lineProblem(line int, format string, args ...any) error {
	return problem.New(problem.InvalidType, "Line %d: %s.", line, fmt.Sprintf(format, args...)).At("csv")
}

// columnsOf maps the name of each column to its position.
func columnsOf(header []string) (map[string]int, error) {
	positions := map[string]int{}
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		if !slices.Contains(columns, name) {
			return nil, lineProblem(1, "%q is not a column; the columns are %s", cleanText(name),
				strings.Join(columns, ", "))
		}
		if _, twice := positions[name]; twice {
			return nil, lineProblem(1, "the column %s is there twice", name)
		}
		positions[name] = i
	}
	for _, name := range []string{"day", "amount"} {
		if _, there := positions[name]; !there {
			return nil, lineProblem(1, "the column %s is missing", name)
		}
	}
	return positions, nil
}

// addRow adds one line of the file to the book.
func addRow(book *Book, line int, positions map[string]int, record []string) error {
	cell := func(name string) string {
		if i, there := positions[name]; there {
			return strings.TrimSpace(record[i])
		}
		return ""
	}
	day, ok := ParseDay(cell("day"))
	if !ok {
		return lineProblem(line, "day must be a UTC day such as 2026-11-23")
	}
	model, key := cell("model"), cell("key")
	for name, value := range map[string]string{"model": model, "key": key} {
		if value != cleanText(value) || strings.IndexAny(value, "=+-@") == 0 {
			return lineProblem(line,
				"%s must have at most 200 printable characters and must not begin with =, +, - or @", name)
		}
	}
	amount := Decimal(cell("amount"))
	if !isDecimal(string(amount)) || strings.HasPrefix(string(amount), "-") {
		return lineProblem(line, "amount must be a decimal of USD that is not negative, such as 12.5")
	}
	if err := book.Charge(day, model, key, amount, Dollars); err != nil {
		return lineProblem(line, "the file may have at most %d days, models and keys", maxFileRows)
	}
	if len(book.days) > maxFileDays {
		return lineProblem(line, "the file may have at most %d days", maxFileDays)
	}
	return addCounts(book, line, chargeKey{day, model, key}, cell)
}

// addCounts adds the counts of one line that are not empty.
func addCounts(book *Book, line int, k chargeKey, cell func(string) string) error {
	counts := map[string]int64{}
	for _, name := range []string{"input_tokens", "output_tokens", "requests"} {
		text := cell(name)
		if text == "" {
			continue
		}
		n, err := Decimal(text).Count()
		if err != nil {
			return lineProblem(line, "%s must be a whole number from 0 to 1,000,000,000,000,000", name)
		}
		counts[name] = n
	}
	_, input := counts["input_tokens"]
	_, output := counts["output_tokens"]
	var err error
	if input || output {
		err = book.Tokens(k.day, k.model, k.key, counts["input_tokens"], counts["output_tokens"])
	}
	if n, ok := counts["requests"]; ok && err == nil {
		err = book.Requests(k.day, k.model, k.key, n)
	}
	if err != nil {
		return lineProblem(line, "a sum of counts is too large")
	}
	return nil
}
