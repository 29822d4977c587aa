package text

import (
	"regexp/syntax"
	"unicode/utf8"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// searcher finds a regular expression of RE2's syntax in strings, the leftmost
// match and of those the one that the expression prefers. Unlike package regexp it
// starts anywhere in a string knowing what comes before, and allocates nothing once
// its memory suffices for a string.
//
// It tries alternatives in order and remembers which pairs of an instruction and a
// position failed, for all searches in one string: their time together is that of
// the program times the string.
//
// Concurrency: one goroutine at a time.
type searcher struct {
	prog   *syntax.Prog
	text   string
	failed []uint64 // a bit for each pair
	tried  []int    // the bits set since the last place to start from
	jobs   []job
}

// job is an alternative that remains to be tried.
type job struct{ pc, at int }

func newSearcher(pattern string) (*searcher, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, errs.New(errs.Argument, "the expression %q is not of RE2's syntax: %v", pattern, err)
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, errs.New(errs.Argument, "the expression %q cannot be compiled: %v", pattern, err)
	}
	return &searcher{prog: prog}, nil
}

// mostWords bounds the memory of a search: 128 MB.
const mostWords = 16 << 20

// in sets the string to search.
//
// Errors: errs.Compute where the string is too long for the expression.
func (r *searcher) in(text string) error {
	words := ((len(text)+1)*len(r.prog.Inst) + 63) / 64
	if words > mostWords {
		return errs.New(errs.Compute, "a string of %d bytes is too long for an expression of %d instructions", len(text), len(r.prog.Inst))
	}
	if cap(r.failed) < words {
		r.failed = make([]uint64, words)
	}
	r.text, r.failed = text, r.failed[:words]
	clear(r.failed)
	return nil
}

// find returns the first match that starts at from or later; start is -1 where
// there is none.
func (r *searcher) find(from int) (start, end int) {
	for at := from; at <= len(r.text); {
		if end := r.match(at); end >= 0 {
			return at, end
		}
		_, size := utf8.DecodeRuneInString(r.text[at:])
		at += max(1, size)
	}
	return -1, -1
}

// match returns where the match ends that starts at the given place, or -1.
func (r *searcher) match(at int) int {
	r.tried = r.tried[:0]
	r.jobs = append(r.jobs[:0], job{r.prog.Start, at})
	for len(r.jobs) > 0 {
		j := r.jobs[len(r.jobs)-1]
		r.jobs = r.jobs[:len(r.jobs)-1]
		if end := r.follow(j); end >= 0 {
			for _, bit := range r.tried { // the pairs on the way did not fail
				r.failed[bit/64] &^= 1 << (bit % 64)
			}
			return end
		}
	}
	return -1
}

// follow runs the program from a job on until it matches or fails, leaving the
// alternatives for later.
func (r *searcher) follow(j job) int {
	for {
		bit := j.at*len(r.prog.Inst) + j.pc
		if r.failed[bit/64]>>(bit%64)&1 != 0 {
			return -1
		}
		r.failed[bit/64] |= 1 << (bit % 64)
		r.tried = append(r.tried, bit)
		inst := &r.prog.Inst[j.pc]
		switch inst.Op {
		case syntax.InstMatch:
			return j.at
		case syntax.InstAlt, syntax.InstAltMatch:
			r.jobs = append(r.jobs, job{int(inst.Arg), j.at})
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^around(r.text, j.at) != 0 {
				return -1
			}
		case syntax.InstFail:
			return -1
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if j.at == len(r.text) {
				return -1
			}
			c, size := utf8.DecodeRuneInString(r.text[j.at:])
			if !inst.MatchRune(c) {
				return -1
			}
			j.at += size
		}
		j.pc = int(inst.Out)
	}
}

// around returns which empty assertions hold at a place in s.
func around(s string, at int) syntax.EmptyOp {
	before, after := rune(-1), rune(-1)
	if at > 0 {
		before, _ = utf8.DecodeLastRuneInString(s[:at])
	}
	if at < len(s) {
		after, _ = utf8.DecodeRuneInString(s[at:])
	}
	return syntax.EmptyOpContext(before, after)
}
