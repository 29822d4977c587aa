package elementwise

import "github.com/goruntime/goruntime/goruntime/op"

// forms is the table row of an operator on two inputs whose attribute chooses
// between two functions.
type forms [2]row

// formed is the State of such an operator.
type formed struct {
	pair *pair
	form int
}

func prepareFormed(c *op.Context, form int) error {
	c.State = &formed{newPair(c.Out(0).Shape, c.In(0).Shape, c.In(1).Shape), form}
	return nil
}

func runFormed(c *op.Context) error {
	s := c.State.(*formed)
	p := s.pair
	p.kernel, p.out, p.a, p.b = op.Row[forms](c)[s.form], c.Out(0), c.In(0), c.In(1)
	if p.out.Elements() > 0 {
		p.spread(c)
	}
	return nil
}
