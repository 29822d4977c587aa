package op

import "sync"

// derived holds what was computed from the attributes of a node.
type derived struct {
	mu    sync.Mutex // protects known; held while something is made, so that it is made once
	known map[any]any
}

// Derive returns what compute makes of the attributes a, and of what key says, alone: it
// is made once in the life of the node, and shared by all shapes that the node is
// prepared for. The type of key tells one use from another.
//
// Ownership: the node's; it holds no memory outside the Go heap and is never changed.
// Concurrency: safe from any goroutine; compute must not derive of the same attributes.
// Errors: those of compute, which is called again the next time.
func Derive[V any](a *Values, key any, compute func() (V, error)) (V, error) {
	if a.derived == nil {
		return compute()
	}
	a.derived.mu.Lock()
	defer a.derived.mu.Unlock()
	if v, ok := a.derived.known[key]; ok {
		return v.(V), nil
	}
	v, err := compute()
	if err != nil {
		return v, err
	}
	if a.derived.known == nil {
		a.derived.known = map[any]any{}
	}
	a.derived.known[key] = v
	return v, nil
}
