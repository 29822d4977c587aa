package main

/*
#include "api.h"
*/
import "C"

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// shown is how many elements of a value an event has.
const shown = 8

// eventReport is an event as a JSON object.
type eventReport struct {
	Kind     exec.EventKind `json:"kind"`
	Node     string         `json:"node"`
	OpType   string         `json:"op_type"`
	Inputs   []string       `json:"inputs"`
	Values   []tracedReport `json:"values"`
	Duration int64          `json:"duration_ns"`
	Live     int64          `json:"allocated"`
	Peak     int64          `json:"peak"`
	Depth    int            `json:"depth"`
}

type tracedReport struct {
	Name  string       `json:"name"`
	DType tensor.DType `json:"dtype"` // tensor.Other where Type says what it is
	Type  string       `json:"type"`
	Shape tensor.Shape `json:"shape"`
	First []any        `json:"first"`
	Min   any          `json:"min"` // of numbers; null where there are none
	Max   any          `json:"max"`
	// Items are the elements of a sequence or optional.
	Items []tracedReport `json:"items,omitempty"`
}

// record makes the run write its events; finish gives them to the caller.
func (k *call) record(c *C.gr_call) (finish func()) {
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	k.Trace = func(e *exec.Event) {
		r := eventReport{
			Kind: e.Kind, Node: e.Node, OpType: e.OpType, Inputs: e.Inputs, Values: make([]tracedReport, len(e.Values)),
			Duration: e.Duration.Nanoseconds(), Live: e.Live, Peak: e.Peak, Depth: e.Depth,
		}
		for i := range e.Values {
			r.Values[i] = traced(&e.Values[i])
		}
		if err := out.Encode(r); err != nil {
			fmt.Fprintf(&lines, "{\"kind\": \"error\", \"op_type\": %q}\n", err)
		}
	}
	return func() {
		k.Trace = nil
		address(unsafe.Pointer(&c.events), unsafe.Pointer(C.CString(lines.String())))
	}
}

func traced(v *exec.TracedValue) tracedReport {
	r := tracedReport{Name: v.Name, DType: v.View.DType, Shape: v.View.Shape}
	if v.Value != nil {
		r.Type, r.Shape = v.Value.String(), nil
		if v.Value.Kind != values.Map {
			for _, item := range v.Value.Items {
				r.Items = append(r.Items, tracedItem(item))
			}
		}
	}
	if v.View.DType == tensor.Other || v.View.Data == nil {
		return r
	}
	n := v.View.Elements()
	for i := range min(n, shown) {
		r.First = append(r.First, plain(v.View.Item(i)))
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range n {
		item := v.View.Item(i)
		x, ok := number(item)
		if !ok {
			continue
		}
		if x != x { // nothing is larger, and whoever looks for it finds it
			r.Min, r.Max = plain(item), plain(item)
			break
		}
		if x <= lo {
			lo, r.Min = x, plain(item)
		}
		if x >= hi {
			hi, r.Max = x, plain(item)
		}
	}
	return r
}

func tracedItem(v *values.Value) tracedReport {
	if v.Kind == values.Tensor {
		return traced(&exec.TracedValue{View: &v.View})
	}
	return traced(&exec.TracedValue{View: &tensor.View{DType: tensor.Other}, Value: v})
}

// number returns an element as a number to compare; text and complex numbers are none.
func number(item any) (float64, bool) {
	switch x := item.(type) {
	case float32:
		return float64(x), true
	case float64:
		return x, true
	case int64:
		return float64(x), true
	case uint64:
		return float64(x), true
	case bool:
		if x {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// plain returns an element as JSON can hold it, with all its digits: infinities, NaN
// and complex numbers are text.
func plain(item any) any {
	switch x := item.(type) {
	case float32:
		return plain(float64(x))
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprint(x)
		}
	case complex128:
		text := strings.Trim(strconv.FormatComplex(x, 'g', -1, 128), "()") // "1+2i"
		return strings.TrimSuffix(text, "i") + "j"
	}
	return item
}
