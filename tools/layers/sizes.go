package layers

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

const (
	// MaxChain is the greatest number of packages in a chain of imports.
	MaxChain = 12
	// MaxFiles is the greatest number of files of a package, tests left out.
	MaxFiles = 25
	// MaxExported is the greatest number of exported names of a package: types,
	// functions, methods, constants and variables.
	MaxExported = 60
)

// The exceptions from MaxFiles and MaxExported, by folder: the count that is allowed instead. An exception may only
// shrink. One that is no longer needed breaks the rule too, so that it gets removed.
var (
	manyFiles = map[string]int{}
	manyNames = map[string]int{}
)

// packageFiles finds packages with too many files.
func packageFiles(c Codebase) []string {
	return over(c, "files", MaxFiles, manyFiles, func(File) int { return 1 })
}

// exportedNames finds packages with too many exported names.
func exportedNames(c Codebase) []string {
	return over(c, "exported names", MaxExported, manyNames, func(f File) int { return f.Exports })
}

// over lists the packages of libs and apps whose files together count more than limit or their exception, and
// the exceptions that are not needed.
func over(c Codebase, what string, limit int, exceptions map[string]int, count func(File) int) (breaks []string) {
	counts := map[string]int{}
	for _, part := range []string{"libs", "apps"} {
		eachFile(c, part, func(p Package, f File) { counts[p.Path] += count(f) })
	}
	for _, folder := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[folder]; n > max(limit, exceptions[folder]) {
			breaks = append(breaks, fmt.Sprintf("%s has %d %s", folder, n, what))
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(exceptions)) {
		if n := counts[folder]; n <= limit {
			breaks = append(breaks, fmt.Sprintf("%s has %d %s: remove its exception", folder, n, what))
		}
	}
	return breaks
}

// longestChain reports the longest chain of imports if it is too long.
func longestChain(c Codebase) []string {
	if chain := LongestChain(c); len(chain) > MaxChain {
		return []string{fmt.Sprintf("%d packages: %s", len(chain), strings.Join(chain, " -> "))}
	}
	return nil
}

// LongestChain returns the packages of the longest chain of imports, importer first. It ignores imports of
// test files.
func LongestChain(c Codebase) []string {
	imports := map[string][]string{}
	eachImport(c, func(p Package, f File, target string) {
		if !f.Test {
			imports[p.Path] = append(imports[p.Path], target)
		}
	})
	return longestPath(imports)
}

// longestPath returns the nodes of the longest path of a graph without cycles. It computes the longest path
// from each node once.
func longestPath(graph map[string][]string) (longest []string) {
	known := map[string][]string{}
	var from func(node string) []string
	from = func(node string) []string {
		if _, ok := known[node]; !ok {
			known[node] = nil // ends the recursion in a cycle, which Go code cannot have
			var rest []string
			for _, target := range graph[node] {
				rest = longer(rest, from(target))
			}
			known[node] = append([]string{node}, rest...)
		}
		return known[node]
	}
	for _, node := range slices.Sorted(maps.Keys(graph)) {
		longest = longer(longest, from(node))
	}
	return longest
}

// longer returns the longer slice, a if both have the same length.
func longer(a, b []string) []string {
	return slices.MaxFunc([][]string{a, b}, func(a, b []string) int { return cmp.Compare(len(a), len(b)) })
}

// oneDirection finds cycles of imports between sibling folders. The packages below a folder count as the
// folder's. A folder may import its own subfolders and they may import it.
func oneDirection(c Codebase) (breaks []string) {
	siblings := map[string]map[string][]string{} // by parent: the imports between its subfolders
	eachImport(c, func(p Package, f File, target string) {
		if f.Test {
			return
		}
		if parent, from, to := fork(p.Path, target); from != to {
			if siblings[parent] == nil {
				siblings[parent] = map[string][]string{}
			}
			siblings[parent][from] = append(siblings[parent][from], to)
		}
	})
	for _, parent := range slices.Sorted(maps.Keys(siblings)) {
		if cycle := findCycle(siblings[parent]); cycle != nil {
			breaks = append(breaks, fmt.Sprintf("%s: %s", path.Join(parent, "."), strings.Join(cycle, " -> ")))
		}
	}
	return breaks
}

// fork returns the common parent folder of two packages and the names of the subfolders of it that they are
// in. The names are empty if one package is below the other.
func fork(a, b string) (parent, from, to string) {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return strings.Join(as[:i], "/"), as[i], bs[i]
		}
	}
	return "", "", ""
}

// findCycle returns a cycle of the graph with its first node at both ends, or nil if there is none.
func findCycle(graph map[string][]string) []string {
	done := map[string]bool{}
	var visit func(node string, way []string) []string
	visit = func(node string, way []string) []string {
		if i := slices.Index(way, node); i >= 0 {
			return append(slices.Clone(way[i:]), node)
		}
		if done[node] {
			return nil
		}
		done[node] = true
		way = append(way, node)
		for _, target := range graph[node] {
			if cycle := visit(target, way); cycle != nil {
				return cycle
			}
		}
		return nil
	}
	for _, node := range slices.Sorted(maps.Keys(graph)) {
		if cycle := visit(node, nil); cycle != nil {
			return cycle
		}
	}
	return nil
}
