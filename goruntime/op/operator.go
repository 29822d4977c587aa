package op

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// Operator is a declared operator. Its Def is written down when a model first asks for
// it: a program that starts does not pay for hundreds that it never runs.
//
// Concurrency: all methods are safe from any goroutine.
type Operator struct {
	Domain, Name string
	once         sync.Once
	declare      func() Def
	def          *Def      // set by once
	next         *Operator // of the same name, declared before
}

// Key names an operator within the registry.
type Key struct{ Domain, Name string }

var registry = struct {
	sync.RWMutex // protects last
	last         map[Key]*Operator
}{last: make(map[Key]*Operator, 384)}

// Declare registers an operator; several may have one name, for versions that are run
// differently. declare is called once, at the first use.
func Declare(domain, name string, declare func() Def) *Operator {
	o := &Operator{Domain: domain, Name: name, declare: declare}
	if domain == "ai.onnx" {
		o.Domain = ""
	}
	k := Key{o.Domain, o.Name}
	registry.Lock()
	defer registry.Unlock()
	o.next, registry.last[k] = registry.last[k], o
	return o
}

// DeclareTwo is Declare for an operator whose earlier versions are another Def.
func DeclareTwo(domain, name string, declare func() (now, legacy Def)) (now, legacy *Operator) {
	both := sync.OnceValues(declare)
	return Declare(domain, name, func() Def { d, _ := both(); return d }), Declare(domain, name, func() Def { _, d := both(); return d })
}

// Def returns what was declared. It panics on a declaration that contradicts itself:
// that is found by every test run.
func (o *Operator) Def() *Def {
	o.once.Do(func() {
		d := o.declare()
		d.Domain, d.Name = o.Domain, o.Name
		switch {
		case len(d.Versions) == 0:
			bad(&d, "declares no version")
		case d.Run == nil:
			bad(&d, "has no Run")
		case (d.Shape == nil) != d.Computes:
			bad(&d, "needs either a shape rule or Computes")
		}
		o.def, o.declare = &d, nil
	})
	return o.def
}

func bad(d *Def, what string) {
	//lint:allow panic a wrong declaration must not start
	panic("op.Declare: " + d.Domain + "." + d.Name + " " + what)
}

// named returns the operator of a name that was declared last.
func named(domain, name string) *Operator {
	registry.RLock()
	defer registry.RUnlock()
	return registry.last[Key{domain, name}]
}

// Find returns the Def of an operator with exactly this since_version, or nil.
func Find(domain, name string, since int) *Def {
	for o := named(domain, name); o != nil; o = o.next {
		if _, ok := o.Def().Versions[since]; ok {
			return o.Def()
		}
	}
	return nil
}

// Latest returns the Def of an operator outside the official schemas for the
// opset that a model imports, and its version: the greatest not above it.
func Latest(domain, name string, opset int) (*Def, int) {
	var found *Def
	best := 0
	for o := named(domain, name); o != nil; o = o.next {
		for v := range o.Def().Versions {
			if v <= opset && v > best {
				found, best = o.Def(), v
			}
		}
	}
	return found, best
}

// All returns every Def, ordered by domain, name and first version. It panics where
// two Defs of one name run the same version.
func All() []*Def {
	registry.RLock()
	defer registry.RUnlock()
	var all []*Def
	for _, o := range registry.last {
		for seen := map[int]bool{}; o != nil; o = o.next {
			d := o.Def()
			for v := range d.Versions {
				if seen[v] {
					bad(d, fmt.Sprintf("declares version %d twice", v))
				}
				seen[v] = true
			}
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b *Def) int {
		return cmp.Or(cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Name, b.Name), a.First()-b.First())
	})
	return all
}
