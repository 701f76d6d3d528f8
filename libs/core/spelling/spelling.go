// Package spelling suggests the name that a misspelled name was probably meant to be, for error messages such as
// "unknown field; did you mean ...".
package spelling

// Closest returns the candidate with the smallest edit distance from name. It returns "" if every candidate needs more
// edits than a typing error explains: 1, plus 1 for each 8 bytes of the name.
func Closest(name string, candidates []string) string {
	best, bound := "", 2+len(name)/8
	for _, candidate := range candidates {
		if d := distance(name, candidate); d < bound {
			best, bound = candidate, d
		}
	}
	return best
}

// distance returns the Levenshtein distance: the least number of insertions, deletions and substitutions of bytes
// that turn a into b. It keeps one row of the usual table.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
