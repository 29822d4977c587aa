package load

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const (
	window    = 4 << 20     // what a stream of batches of some megabytes may send unasked
	flushAt   = 256 << 10   // bytes that wait to be written in one piece
	streamID  = 1           // the only stream of a connection
	firstRoom = 1<<16 - 1   // what HTTP/2 gives who was told nothing
	prefix    = 5           // bytes before a message of gRPC: whether it is compressed, its length
	tellAfter = window >> 2 // bytes received until the server is told that there is room again
)

// call is one DoExchange on a connection of its own, by frames of HTTP/2 that one
// goroutine writes and reads. gRPC's client does the same by three, and takes as much of
// the machine as the server that is measured.
//
// Ownership: close ends it.
// Concurrency: for one goroutine.
type call struct {
	conn    net.Conn
	in      *bufio.Reader
	frames  *http2.Framer
	out     bytes.Buffer // frames that wait to be written
	largest int          // frame that the server takes
	initial int          // window that the server gives a stream
	room    int          // bytes that the server takes of the stream
	roomAll int          // bytes that it takes of the connection
	owed    int          // bytes received since the server was told of room

	partial reply // the message that is read
	head    [prefix]byte
	headLen int
	left    int // bytes of partial that are to come
	keep    bool
	replies []reply // that are complete
	ended   error   // io.EOF where the server ended the call well
}

// dial begins a DoExchange; the call ends with ctx.
func dial(ctx context.Context, t Target) (*call, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", t.Address)
	if err != nil {
		return nil, err
	}
	scheme := "http"
	if t.TLS != nil {
		scheme = "https"
		c := t.TLS.Clone()
		if c.ServerName == "" {
			c.ServerName, _, _ = net.SplitHostPort(t.Address)
		}
		secure := tls.Client(conn, c)
		if err := secure.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, err
		}
		conn = secure
	}
	c := &call{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), largest: 16 << 10, initial: firstRoom, room: firstRoom, roomAll: firstRoom}
	c.frames = http2.NewFramer(&c.out, c.in)
	c.frames.SetReuseFrames()
	c.frames.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if err := c.open(ctx, scheme, t.Address); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// open writes what begins a connection and its stream.
func (c *call) open(ctx context.Context, scheme, authority string) error {
	c.out.WriteString(http2.ClientPreface)
	if err := c.frames.WriteSettings(http2.Setting{ID: http2.SettingEnablePush}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: window}); err != nil {
		return err
	}
	if err := c.frames.WriteWindowUpdate(0, window-firstRoom); err != nil {
		return err
	}
	var block bytes.Buffer
	fields := hpack.NewEncoder(&block)
	add := func(name, value string) { _ = fields.WriteField(hpack.HeaderField{Name: name, Value: value}) } // into memory
	add(":method", "POST")
	add(":scheme", scheme)
	add(":path", "/arrow.flight.protocol.FlightService/DoExchange")
	add(":authority", authority)
	add("te", "trailers")
	add("content-type", "application/grpc")
	md, _ := metadata.FromOutgoingContext(ctx)
	for name, values := range md {
		for _, v := range values {
			add(name, v)
		}
	}
	if err := c.frames.WriteHeaders(http2.HeadersFrameParam{StreamID: streamID, BlockFragment: block.Bytes(), EndHeaders: true}); err != nil {
		return err
	}
	return c.flush()
}

func (c *call) close() { c.conn.Close() }

func (c *call) flush() error {
	if c.out.Len() == 0 {
		return nil
	}
	_, err := c.conn.Write(c.out.Bytes())
	c.out.Reset()
	return err
}

// send sends a message. A call that the server has ended takes it; receive tells why.
func (c *call) send(message []byte) error {
	var head [prefix]byte
	binary.BigEndian.PutUint32(head[1:], uint32(len(message)))
	for _, part := range [][]byte{head[:], message} {
		if err := c.sendPart(part); err != nil {
			return err
		}
	}
	return c.flush()
}

func (c *call) sendPart(part []byte) error {
	for len(part) > 0 && c.ended == nil {
		n := min(len(part), c.largest, c.room, c.roomAll)
		if n <= 0 {
			if err := c.step(); err != nil {
				return err
			}
			continue
		}
		if err := c.frames.WriteData(streamID, false, part[:n]); err != nil {
			return err
		}
		part, c.room, c.roomAll = part[n:], c.room-n, c.roomAll-n
		if c.out.Len() >= flushAt {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// closeSend says that no more is sent.
func (c *call) closeSend() error {
	if err := c.frames.WriteData(streamID, true, nil); err != nil {
		return err
	}
	return c.flush()
}

// receive returns the next message, with its text where that is wanted of those that
// come from now on.
//
// Errors: io.EOF at the end, the status that the server ended the call with.
func (c *call) receive(text bool) (reply, error) {
	c.keep = text
	for len(c.replies) == 0 {
		if c.ended != nil {
			return reply{}, c.ended
		}
		if err := c.step(); err != nil {
			return reply{}, err
		}
	}
	r := c.replies[0]
	c.replies = append(c.replies[:0], c.replies[1:]...)
	return r, nil
}

// step reads one frame and does what it asks for.
func (c *call) step() error {
	if err := c.flush(); err != nil {
		return err
	}
	f, err := c.frames.ReadFrame()
	if err != nil {
		return fmt.Errorf("the connection: %w", err)
	}
	switch f := f.(type) {
	case *http2.DataFrame:
		return c.data(f)
	case *http2.MetaHeadersFrame:
		return c.headers(f)
	case *http2.SettingsFrame:
		return c.settings(f)
	case *http2.WindowUpdateFrame:
		if f.StreamID == 0 {
			c.roomAll += int(f.Increment)
		} else {
			c.room += int(f.Increment)
		}
	case *http2.PingFrame:
		if !f.IsAck() {
			return c.frames.WritePing(true, f.Data)
		}
	case *http2.RSTStreamFrame:
		return fmt.Errorf("the server broke the stream off: %v", f.ErrCode)
	case *http2.GoAwayFrame:
		if f.ErrCode != http2.ErrCodeNo {
			return fmt.Errorf("the server goes away: %v %s", f.ErrCode, f.DebugData())
		}
	}
	return nil
}

func (c *call) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	if n, ok := f.Value(http2.SettingInitialWindowSize); ok {
		c.room, c.initial = c.room+int(n)-c.initial, int(n)
	}
	if n, ok := f.Value(http2.SettingMaxFrameSize); ok {
		c.largest = int(n)
	}
	return c.frames.WriteSettingsAck()
}

// data takes the bytes of messages, and gives the server room for further ones.
func (c *call) data(f *http2.DataFrame) error {
	if c.owed += int(f.Length); c.owed >= tellAfter {
		for _, stream := range []uint32{0, streamID} {
			if err := c.frames.WriteWindowUpdate(stream, uint32(c.owed)); err != nil {
				return err
			}
		}
		c.owed = 0
	}
	for b := f.Data(); len(b) > 0; {
		if c.headLen < prefix {
			n := copy(c.head[c.headLen:], b)
			b, c.headLen = b[n:], c.headLen+n
			if c.headLen < prefix {
				break
			}
			if c.head[0] != 0 {
				return wrong("a compressed message, which was not asked for")
			}
			c.left = int(binary.BigEndian.Uint32(c.head[1:]))
		}
		n := min(len(b), c.left)
		c.partial.add(b[:n], c.keep)
		b, c.left = b[n:], c.left-n
		if c.left == 0 {
			c.replies = append(c.replies, c.partial)
			c.partial, c.headLen = reply{}, 0
		}
	}
	if f.StreamEnded() {
		c.ended = wrong("an end without a status")
	}
	return nil
}

// headers takes the headers of the answer, or its end with a status.
func (c *call) headers(f *http2.MetaHeadersFrame) error {
	field := func(name string) string {
		for _, h := range f.Fields {
			if h.Name == name {
				return h.Value
			}
		}
		return ""
	}
	if !f.StreamEnded() {
		if s := field(":status"); s != "200" || !strings.HasPrefix(field("content-type"), "application/grpc") {
			return wrong("HTTP status %s with content of the type %q: a gRPC server expected", s, field("content-type"))
		}
		return nil
	}
	code, err := strconv.ParseUint(field("grpc-status"), 10, 32)
	if err != nil {
		return wrong("an end with the status %q", field("grpc-status"))
	}
	c.ended = io.EOF
	if codes.Code(code) != codes.OK {
		text := field("grpc-message")
		if plain, err := url.PathUnescape(text); err == nil {
			text = plain
		}
		c.ended = status.Error(codes.Code(code), text)
	}
	return nil
}
