package flight

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

func TestConnectionsPollWhileItIsWorthwhile(t *testing.T) {
	came := func(p *polling) { p.ended(true) }
	late := func(p *polling) { p.ended(false) }
	for name, k := range map[string]struct {
		reads, from, want int // polls among the reads after from
		alone             func(i int) bool
		then              func(*polling)
	}{
		"all but breathers of a busy one":  {1024, 0, 1024 - 1024/breather - aloneFor + 1, func(int) bool { return true }, came},
		"few of one that is slow":          {8192, 1024, (8192 - 1024) / (longRest + 1), func(int) bool { return true }, late},
		"none of two that take turns":      {1024, 0, 0, func(int) bool { return false }, came},
		"few where the other reads seldom": {1000, 0, 600, func(i int) bool { return i%10 != 0 }, came},
	} {
		var p polling
		polls := 0
		for i := range k.reads {
			if p.begin(k.alone(i)) {
				k.then(&p)
				if i >= k.from {
					polls++
				}
			}
		}
		if off := polls - k.want; off < -k.want/20 || off > k.want/20 {
			t.Errorf("%s: %d of %d reads poll, want %d", name, polls, k.reads-k.from, k.want)
		}
	}
}

func TestARestEndsWhenAMessageCameInTime(t *testing.T) {
	p := polling{alone: aloneFor}
	for range 10 {
		p.ended(false)
	}
	if p.rest != longRest {
		t.Errorf("after ten polls in vain %d reads rest, want %d", p.rest, longRest)
	}
	p.ended(true)
	p.ended(false)
	if p.rest != 1 {
		t.Errorf("after a poll that was not in vain, and one that was, %d reads rest, want 1", p.rest)
	}
}

// polledPair returns both ends of connections, the first ends of which poll for limit.
func polledPair(t *testing.T, limit time.Duration, n int) (polled []*polledConn, peers []*net.TCPConn) {
	t.Helper()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plain.Close() })
	l := newBusyPoller(plain, limit)
	for range n {
		peer, err := net.Dial("tcp", plain.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = c.Close(), peer.Close() })
		p, ok := c.(*polledConn)
		if !ok {
			t.Fatalf("a socket is accepted as %T", c)
		}
		polled, peers = append(polled, p), append(peers, peer.(*net.TCPConn))
	}
	return polled, peers
}

// alone has c alone on its server: further reads poll.
func alone(t *testing.T, c net.Conn, peer io.Writer) {
	t.Helper()
	for range aloneFor + 1 {
		if _, err := peer.Write([]byte{1}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPolledReadsEndAsOthersDo(t *testing.T) {
	for _, limit := range []time.Duration{time.Nanosecond, 20 * time.Millisecond} { // sleeps, polls
		for name, k := range map[string]struct {
			do   func(c *polledConn, peer *net.TCPConn) error
			want error
		}{
			"the peer ends":   {func(_ *polledConn, peer *net.TCPConn) error { return peer.CloseWrite() }, io.EOF},
			"it is closed":    {func(c *polledConn, _ *net.TCPConn) error { return c.Close() }, net.ErrClosed},
			"its deadline":    {func(c *polledConn, _ *net.TCPConn) error { return c.SetReadDeadline(time.Now()) }, os.ErrDeadlineExceeded},
			"the peer resets": {func(_ *polledConn, peer *net.TCPConn) error { return errors.Join(peer.SetLinger(0), peer.Close()) }, syscall.ECONNRESET},
			"a message comes": {func(_ *polledConn, peer *net.TCPConn) error { _, err := peer.Write([]byte{7}); return err }, nil},
			"others are read": {func(c *polledConn, peer *net.TCPConn) error {
				c.last.Store(nil)
				_, err := peer.Write([]byte{7})
				return err
			}, nil},
		} {
			polled, peers := polledPair(t, limit, 1)
			c, peer := polled[0], peers[0]
			alone(t, c, peer)
			if n, err := c.Read(nil); n != 0 || err != nil {
				t.Errorf("%s: a read of nothing gives %d, %v", name, n, err)
			}
			type read struct {
				n   int
				err error
			}
			done := make(chan read, 1)
			go func() {
				n, err := c.Read(make([]byte, 10))
				done <- read{n, err}
			}()
			time.Sleep(time.Millisecond) // likely, not surely, it waits by now
			if err := k.do(c, peer); err != nil {
				t.Fatal(err)
			}
			select {
			case got := <-done:
				if !errors.Is(got.err, k.want) || (got.n == 1) != (k.want == nil) {
					t.Errorf("%s, polling for %v: the read gives %d bytes and %v, want %v", name, limit, got.n, got.err, k.want)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%s, polling for %v: the read does not end", name, limit)
			}
		}
	}
}

func TestOneConnectionPolls(t *testing.T) {
	polled, peers := polledPair(t, time.Hour, 2) // but for the other it would poll as long
	alone(t, polled[0], peers[0])
	looks, looked, done := make(chan bool, 10), make(chan bool, 10), make(chan error, 1)
	polled[0].try = func(fd uintptr) bool {
		looks <- polled[0].polls
		came := polled[0].look(fd)
		looked <- came
		return came
	}
	go func() {
		_, err := polled[0].Read(make([]byte, 1))
		done <- err
	}()
	if !<-looks {
		t.Error("a connection that is alone does not poll")
	}
	alone(t, polled[1], peers[1])
	if <-looked {
		t.Error("a connection reads what nobody sent")
	}
	if _, err := peers[0].Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if p := polled[0].patience; p.restNext != 1 {
		t.Errorf("a poll that another connection ended counts %+v, want one in vain", p)
	}
}

func TestPolledConnectionsCarryAnyBytes(t *testing.T) {
	polled, peers := polledPair(t, 50*time.Microsecond, 2)
	draw := rand.New(rand.NewPCG(1, 2))
	sent := make([][]byte, len(peers))
	for i, peer := range peers {
		sent[i] = make([]byte, 1<<20)
		for j := range sent[i] {
			sent[i][j] = byte(draw.Uint32())
		}
		var pauses []time.Duration
		var cuts []int
		for at := 0; at < len(sent[i]); at += cuts[len(cuts)-1] {
			cuts = append(cuts, min(1+draw.IntN(20_000), len(sent[i])-at))
			pauses = append(pauses, time.Duration(draw.IntN(200))*time.Microsecond)
		}
		go func() {
			rest := sent[i]
			for j, n := range cuts {
				time.Sleep(pauses[j])
				if _, err := peer.Write(rest[:n]); err != nil {
					return
				}
				rest = rest[n:]
			}
			_ = peer.Close()
		}()
	}
	got := make(chan error, len(polled))
	for i, c := range polled {
		go func() {
			all, err := io.ReadAll(c)
			if err == nil && !bytes.Equal(all, sent[i]) {
				err = errors.New("the bytes that were read differ from those sent")
			}
			got <- err
		}()
	}
	for range polled {
		if err := <-got; err != nil {
			t.Error(err)
		}
	}
}

// oddListener accepts what is no socket.
type oddListener struct{ net.Listener }

func (oddListener) Accept() (net.Conn, error) {
	c, _ := net.Pipe()
	return c, nil
}

func TestWhatDoesNotPollIsLeftAsItIs(t *testing.T) {
	c, err := newBusyPoller(oddListener{}, time.Hour).Accept()
	if _, ok := c.(*polledConn); ok || err != nil {
		t.Errorf("a pipe is accepted as %T, %v", c, err)
	}
	l := oddListener{}
	for _, limit := range []time.Duration{0, -1} {
		if got := newBusyPoller(l, limit); got != net.Listener(l) {
			t.Errorf("polling for %v listens by %T", limit, got)
		}
	}
}
