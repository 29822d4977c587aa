package flight

import (
	"io"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// busyPoller listens for connections whose reads look for the next message for a while
// before they sleep. A client that waits for each answer before it sends the next batch
// sends it within some tens of microseconds, and to wake a sleeping processor takes as
// long again. Linux does the same below sockets where net.core.busy_poll is set.
type busyPoller struct {
	net.Listener
	limit time.Duration // of a wait
	last  *atomic.Pointer[polledConn]
}

// newBusyPoller returns l itself where nothing polls: limit is not positive, or the one
// processor there is has the rest of the server to run.
func newBusyPoller(l net.Listener, limit time.Duration) net.Listener {
	if limit <= 0 || runtime.GOMAXPROCS(0) == 1 {
		return l
	}
	return busyPoller{l, limit, new(atomic.Pointer[polledConn])}
}

// Accept returns connections of other kinds than sockets as they are.
func (l busyPoller) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	socket, ok := c.(syscall.Conn)
	if !ok {
		return c, nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return c, nil // closed already, as its first read will tell
	}
	p := &polledConn{Conn: c, raw: raw, limit: l.limit, last: l.last}
	p.try = p.look
	return p, nil
}

// polledConn is a connection whose Read polls.
//
// Concurrency: one goroutine reads, as gRPC's and crypto/tls's do.
type polledConn struct {
	net.Conn
	raw   syscall.RawConn
	limit time.Duration
	last  *atomic.Pointer[polledConn] // the connection of the server that read last
	try   func(fd uintptr) bool       // look

	patience polling
	began    time.Duration // of the wait
	polls    bool          // look polls
	into     []byte
	n        int
	err      error
}

// Read implements net.Conn.
func (c *polledConn) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return c.Conn.Read(b)
	}
	alone := c.last.Swap(c) == c
	c.into, c.began, c.polls = b, clock(), c.patience.begin(alone)
	err := c.raw.Read(c.try)
	c.into = nil
	switch {
	case err != nil:
		return 0, err
	case c.err != nil:
		return 0, &net.OpError{Op: "read", Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: os.NewSyscallError("read", c.err)}
	case c.n == 0:
		return 0, io.EOF
	}
	return c.n, nil
}

// look reads what has come. Where nothing has, it looks again as long as c.polls, with
// other goroutines in between, or returns false: to sleep until something comes. Deadlines
// and Close are noticed when it sleeps.
func (c *polledConn) look(fd uintptr) bool {
	for polled := false; ; polled = true {
		c.n, c.err = unix.Read(int(fd), c.into)
		switch {
		case c.err == unix.EINTR:
			continue
		case c.err != unix.EAGAIN:
			if polled {
				c.patience.ended(true)
			}
			return true
		case !c.polls:
			return false
		case clock()-c.began > c.limit || c.last.Load() != c:
			c.polls = false
			c.patience.ended(false)
			return false
		}
		runtime.Gosched()
	}
}

// polling decides which reads of a connection poll: those of one that is alone, as
// messages that come on several find a processor awake. One that polled in vain rests
// for twice as many reads as the time before, so that clients who are slow cost little.
type polling struct {
	alone    int // reads in a row without one of another connection
	turn     int // reads that might poll
	rest     int // reads that shall not poll
	restNext int
}

const (
	aloneFor = 4  // reads until a connection counts as alone
	longRest = 63 // reads
	// Every so many reads that might poll sleep: a processor that always finds something to do neither
	// looks at other connections nor lets other threads run before their turn.
	breather = 32
)

// begin reports whether a read polls.
func (p *polling) begin(alone bool) bool {
	p.alone++
	if !alone {
		p.alone = 0
	}
	if p.rest > 0 {
		p.rest--
		return false
	}
	if p.alone < aloneFor {
		return false
	}
	p.turn++
	return p.turn%breather != 0
}

// ended tells whether what was polled for came in time.
func (p *polling) ended(came bool) {
	if came {
		p.restNext = 0
		return
	}
	p.restNext = min(2*p.restNext+1, longRest)
	p.rest = p.restNext
}
