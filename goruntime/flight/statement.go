package flight

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/errs"
)

// maxStatements bounds the statements of a server: clients that vanish close none.
const maxStatements = 4096

// answerBytes is what an answer takes beside the bytes of its columns, about: a client may
// bind any number of batches of a row, or of none.
const answerBytes = 1 << 10

// heldBytes is what an answer counts while a statement holds it.
func heldBytes(b arrow.RecordBatch) int64 { return answerBytes + arrowio.Size(b) }

// statements are the prepared statements of a server, by handle, and what they hold
// for their clients to fetch.
type statements struct {
	limit int64         // bytes of answers, of all statements together
	idle  time.Duration // after which an unused statement is closed; 0 or less is never
	held  atomic.Int64

	mu     sync.Mutex // protects all below
	list   map[string]*statement
	closed bool
}

// statement is a model that a client asked for, and the answers for what it bound last.
//
// Ownership: a statement owns its results; they end when they are fetched, with the
// next ones, and with the statement.
type statement struct {
	handle         string
	token          *Token // the caller's; nil where the server knows none
	model, version string
	timer          *time.Timer // closes it when it was not used for long; nil is never
	users          int         // calls; under the lock of statements

	mu      sync.Mutex // protects all below
	results *results
	number  uint64 // of the results that were bound last
	binding bool   // parameters came, and have no answers
	closed  bool
}

// results are the answers for one binding.
type results struct {
	number  uint64
	model   *Model // in use until they are released
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	rows    int64 // of all that was bound, as are the bytes
	bytes   int64
	told    bool // by GetFlightInfo: they are fetched next
	of      *statements
}

func newStatements(limit int64, idle time.Duration) *statements {
	return &statements{limit: limit, idle: idle, list: map[string]*statement{}}
}

// open returns how many statements there are.
func (ss *statements) open() int {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return len(ss.list)
}

// add makes a statement.
//
// Errors: errs.Memory where there are too many, errs.Closed.
func (ss *statements) add(token *Token, model, version string) (*statement, error) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.closed {
		return nil, errs.New(errs.Closed, "the server ends")
	}
	if len(ss.list) >= maxStatements {
		return nil, errs.New(errs.Memory, "%d statements are open, at most %d allowed: close some", len(ss.list), maxStatements)
	}
	st := &statement{handle: rand.Text(), token: token, model: model, version: version}
	if ss.idle > 0 {
		st.timer = time.AfterFunc(ss.idle, func() { ss.expire(st) })
	}
	ss.list[st.handle] = st
	return st, nil
}

// get returns an open statement of a caller, which is in use until put.
//
// Errors: errs.Name where the caller has none of that handle.
func (ss *statements) get(token *Token, handle string) (*statement, error) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	st := ss.list[handle]
	if st == nil || st.token != token {
		return nil, errs.New(errs.Name, "no statement of that handle is open: it was closed, or not used for %v: prepare it again", ss.idle)
	}
	st.users++
	return st, nil
}

// put ends one use of a statement.
func (ss *statements) put(st *statement) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	st.users--
	if st.timer != nil && ss.list[st.handle] == st {
		st.timer.Reset(ss.idle)
	}
}

// expire closes a statement that is not in use; put looks after one that is.
func (ss *statements) expire(st *statement) {
	ss.mu.Lock()
	used := st.users > 0
	ss.mu.Unlock()
	if !used {
		ss.close(st)
	}
}

// close ends a statement and what it holds; ended ones are passed over.
func (ss *statements) close(st *statement) {
	ss.mu.Lock()
	delete(ss.list, st.handle)
	ss.mu.Unlock()
	if st.timer != nil {
		st.timer.Stop()
	}
	st.mu.Lock()
	old := st.results
	st.results, st.closed = nil, true
	st.mu.Unlock()
	old.release()
}

// closeAll ends all statements and refuses further ones.
func (ss *statements) closeAll() {
	ss.mu.Lock()
	ss.closed = true
	list := make([]*statement, 0, len(ss.list))
	for _, st := range ss.list {
		list = append(list, st)
	}
	ss.mu.Unlock()
	for _, st := range list {
		ss.close(st)
	}
}

// add keeps one more answer, with a reference of its own.
//
// Errors: errs.Memory where all statements would hold too much, errs.Shape where the
// schema changed.
func (r *results) add(m *Model, b arrow.RecordBatch) error {
	if r.model == nil {
		m.enter()
		r.model, r.schema = m, b.Schema()
	}
	if err := oneSchema(b.Schema(), r.schema); err != nil {
		return err
	}
	n := heldBytes(b)
	if held := r.of.held.Add(n); held > r.of.limit {
		r.of.held.Add(-n)
		return errs.New(errs.Memory, "statements hold %d bytes of answers, at most %d allowed: fetch what was scored, close statements, or bind fewer rows", held, r.of.limit)
	}
	b.Retain()
	r.batches, r.rows, r.bytes = append(r.batches, b), r.rows+b.NumRows(), r.bytes+arrowio.Size(b)
	return nil
}

// next takes the first answer out; nil where there is none. The caller releases it.
func (r *results) next() arrow.RecordBatch {
	if len(r.batches) == 0 {
		return nil
	}
	b := r.batches[0]
	r.batches[0] = nil
	r.batches = r.batches[1:]
	r.of.held.Add(-heldBytes(b))
	return b
}

// release ends what was not fetched. A nil receiver holds nothing.
func (r *results) release() {
	if r == nil {
		return
	}
	for b := r.next(); b != nil; b = r.next() {
		b.Release()
	}
	if r.model != nil {
		r.model.leave()
		r.model = nil
	}
}

// rebind ends the answers that were not fetched, for those of parameters that come.
func (st *statement) rebind() {
	st.mu.Lock()
	old := st.results
	st.results, st.binding = nil, true
	st.mu.Unlock()
	old.release()
}

// bind takes the answers for new parameters in the place of the ones before.
//
// Errors: errs.Closed.
func (st *statement) bind(r *results) error {
	st.mu.Lock()
	if st.closed {
		st.mu.Unlock()
		r.release()
		return errs.New(errs.Closed, "the statement was closed while its parameters were scored")
	}
	st.number++
	st.binding = false
	r.number = st.number
	old := st.results
	st.results = r
	st.mu.Unlock()
	old.release()
	return nil
}

// told are answers that a client was told of: what GetFlightInfo says.
type told struct {
	ticket      []byte
	schema      *arrow.Schema
	rows, bytes int64
}

// bound describes the answers that were not told of yet, once: a client that executes
// again without parameters is not given the answers for earlier ones. It is not ok where
// there are none.
//
// Errors: errs.Argument where parameters came that could not be scored.
func (st *statement) bound() (t told, ok bool, err error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.binding {
		return t, false, errs.New(errs.Argument, "the parameters that came last for the model %q were not scored: bind them again", st.model)
	}
	r := st.results
	if r == nil || r.told {
		return t, false, nil
	}
	r.told = true
	return told{binary.BigEndian.AppendUint64([]byte(st.handle), r.number), r.schema, r.rows, r.bytes}, true, nil
}

// take takes the answers of a ticket out; the caller releases them.
//
// Errors: errs.Name where they were fetched, or others bound.
func (st *statement) take(number uint64) (*results, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	r := st.results
	if r == nil || r.number != number {
		return nil, errs.New(errs.Name, "these answers are not there: they can be fetched once, until the statement is executed again or closed")
	}
	st.results = nil
	return r, nil
}
