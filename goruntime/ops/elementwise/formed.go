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
	c.State = &formed{plan(c, c.In(1).Shape), form}
	return nil
}

func runFormed(c *op.Context) error {
	s := c.State.(*formed)
	return s.pair.run(c, op.Row[forms](c)[s.form])
}
