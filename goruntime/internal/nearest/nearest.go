// Package nearest finds the names that somebody who wrote another one may have
// meant, for error messages.
package nearest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Names returns up to n of the known names, those with the fewest edits from
// name first.
func Names(name string, known []string, n int) []string {
	var list []string
	distance := make(map[string]int, len(known))
	for _, k := range known {
		if _, twice := distance[k]; !twice {
			distance[k] = edits(name, k)
			list = append(list, k)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(distance[a], distance[b]) })
	return list[:min(n, len(list))]
}

// Quoted returns Names, each in quotes, as one text.
func Quoted(name string, known []string, n int) string {
	list := Names(name, known, n)
	for i, k := range list {
		list[i] = strconv.Quote(k)
	}
	return strings.Join(list, ", ")
}

// edits returns the Levenshtein distance of the first 64 bytes of a and b; a
// difference of case is half an edit, so counts are in halves.
func edits(a, b string) int {
	a, b = a[:min(64, len(a))], b[:min(64, len(b))]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = 2 * j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = 2 * (i + 1)
		for j := range len(b) {
			change := diagonal + substitution(a[i], b[j])
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+2, row[j+1]+2)
		}
	}
	return row[len(b)]
}

func substitution(a, b byte) int {
	switch {
	case a == b:
		return 0
	case a|0x20 == b|0x20 && 'a' <= a|0x20 && a|0x20 <= 'z':
		return 1
	default:
		return 2
	}
}
