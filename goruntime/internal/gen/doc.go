// Package gen is the home of the generators; its test holds their output in the
// tree against what they write.
package gen
