package exec

import (
	"cmp"
	"slices"
	"strconv"
)

// nearest returns up to n of the known names, quoted, those with the fewest
// edits from name first.
func nearest(name string, known []string, n int) []string {
	list := slices.Clone(known)
	distance := make(map[string]int, len(list))
	for _, k := range list {
		distance[k] = edits(name, k)
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(distance[a], distance[b]) })
	list = slices.Compact(list[:min(n, len(list))])
	for i, k := range list {
		list[i] = strconv.Quote(k)
	}
	return list
}

// edits returns the Levenshtein distance of the first 64 bytes of a and b.
func edits(a, b string) int {
	a, b = a[:min(64, len(a))], b[:min(64, len(b))]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
