// Package spelling finds the name that a misspelt one was meant to be.
package spelling

// Closest returns the candidate with the fewest edits from name, "" where every
// candidate needs more edits than a typing error has: 1, and one for each 8 bytes
// of the name.
func Closest(name string, candidates []string) string {
	best, least := "", 2+len(name)/8
	for _, candidate := range candidates {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance counts the insertions, deletions and substitutions from a to b.
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
