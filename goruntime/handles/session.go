package handles

import "github.com/goruntime/goruntime/goruntime/exec"

// Session is an open session.
type Session struct {
	*exec.Session
	// ExecutionArena and IOArena are the handles of the arenas that it runs on.
	ExecutionArena uint64
	IOArena        uint64
	// Local is what the C exports keep with the session.
	Local any
}
