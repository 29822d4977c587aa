package arrowio

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// Manifest says how a model is scored: which columns feed which input, what stands
// for nulls, which conversions are allowed, how much a request may bring. It lies
// beside the model as NAME.manifest.json; everything in it may be left out.
type Manifest struct {
	// Name and Version of the model, as clients ask for it.
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	// Checksum is the SHA-256 of the model file in hexadecimal, compared at load.
	Checksum string `json:"sha256,omitempty"`
	// Weights are the SHA-256 of the files that tensors outside the model lie in, by their
	// place beside it; where one has a checksum all need one.
	Weights map[string]string `json:"weights,omitempty"`
	// Inputs are the columns of each input, by its name.
	Inputs map[string]InputRule `json:"inputs,omitempty"`
	// Outputs are the values that are returned, in order; none is the model's outputs.
	Outputs []OutputRule `json:"outputs,omitempty"`
	// Schema are the Arrow types of the columns, where they are more than the model says.
	Schema *Declared `json:"schema,omitempty"`
	Limits Limits    `json:"limits,omitzero"`
	Batch  Batching  `json:"batching,omitzero"`
}

// InputRule is how one input is fed.
type InputRule struct {
	// Columns feed the input: one, or several of one type that become a matrix.
	Columns []string `json:"columns,omitempty"`
	// Fill stands where a column is null: a number, a bool or a string.
	Fill any `json:"fill,omitempty"`
	// Cast allows columns of another element type, which are converted.
	Cast bool `json:"cast,omitempty"`
}

// OutputRule is a value that is returned, under the name of a column.
type OutputRule struct {
	Value  string `json:"value"`
	Column string `json:"column,omitempty"` // empty is the value's name
}

// Limits bound what one request may bring; 0 is no bound.
type Limits struct {
	Rows        int64 `json:"rows,omitempty"`
	Bytes       int64 `json:"bytes,omitempty"`
	Columns     int   `json:"columns,omitempty"`
	StringBytes int64 `json:"string_bytes,omitempty"`
	Nesting     int   `json:"nesting,omitempty"`
	// Concurrency is how many runs of the model are under way at once; 0 is as many as
	// there are processors.
	Concurrency int `json:"concurrency,omitempty"`
	// Queue is how many requests may wait for their turn.
	Queue int `json:"queue,omitempty"`
	// InFlightBytes bounds what waiting and running requests hold together.
	InFlightBytes int64 `json:"in_flight_bytes,omitempty"`
}

// Batching is when requests of several clients run together.
type Batching struct {
	// MaxRows and MaxBytes close a batch; 0 rows is no batching.
	MaxRows  int64 `json:"max_rows,omitempty"`
	MaxBytes int64 `json:"max_bytes,omitempty"`
	// DelayMicros is how long the first request waits for others.
	DelayMicros int64 `json:"delay_us,omitempty"`
}

// ReadManifest reads a manifest file.
//
// Errors: errs.IO, and errs.Argument for text that is no manifest; an unknown field is
// one, since it is most likely a known one misspelled, and so is a limit below 0, which
// would limit nothing.
func ReadManifest(path string) (*Manifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, errs.New(errs.IO, "%w", err)
	}
	defer f.Close()
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	m := &Manifest{}
	err = d.Decode(m)
	if err == nil && d.More() {
		err = errors.New("there is more text behind the object")
	}
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return nil, errs.New(errs.Argument, "the manifest %s: %w", path, explained(err))
	}
	return m, nil
}

// check compares numbers and names with what they may be.
func (m *Manifest) check() error {
	l, b := &m.Limits, &m.Batch
	for _, n := range []struct {
		field string
		is    int64
	}{
		{"limits.rows", l.Rows},
		{"limits.bytes", l.Bytes},
		{"limits.columns", int64(l.Columns)},
		{"limits.string_bytes", l.StringBytes},
		{"limits.nesting", int64(l.Nesting)},
		{"limits.concurrency", int64(l.Concurrency)},
		{"limits.queue", int64(l.Queue)},
		{"limits.in_flight_bytes", l.InFlightBytes},
		{"batching.max_rows", b.MaxRows},
		{"batching.max_bytes", b.MaxBytes},
		{"batching.delay_us", b.DelayMicros},
	} {
		if n.is < 0 {
			return errs.New(errs.Argument, "%s is %d: 0 or more expected; leave it out for no limit", n.field, n.is)
		}
	}
	if b.DelayMicros > maxDelay {
		return errs.New(errs.Argument, "batching.delay_us is %d: at most %d, an hour, expected", b.DelayMicros, int64(maxDelay))
	}
	for i, o := range m.Outputs {
		if o.Value == "" {
			return errs.New(errs.Argument, "output %d has no value: the name of one expected", i)
		}
	}
	return nil
}

const maxDelay = 3600 * 1000 * 1000

// Write writes the manifest as people edit it.
func (m *Manifest) Write(path string) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false) // types are written with < and >
	if err := e.Encode(m); err != nil {
		return errs.New(errs.Internal, "%w", err)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		return errs.New(errs.IO, "%w", err)
	}
	return nil
}
