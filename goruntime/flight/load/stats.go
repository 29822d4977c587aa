package load

import (
	"context"
	"encoding/json"
	"maps"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// Stats are what a server says of itself by the action stats. What it does not say is
// zero.
type Stats struct {
	Batches int64              `json:"batches"`
	Stages  map[string]float64 `json:"stage_seconds"`
	Copies  map[string]Copies  `json:"copies"`
	Process struct {
		HeapAllocated int64   `json:"heap_allocated"`
		GCCycles      int64   `json:"gc_cycles"`
		CPUSeconds    float64 `json:"cpu_seconds"`
	} `json:"process"`
}

// Copies are payload copies of one reason.
type Copies struct {
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"`
}

// stats asks a server; one without the action says nothing.
func stats(ctx context.Context, c aflight.Client, path []string) (*Stats, error) {
	body := map[string]string{"model": path[0]}
	if len(path) > 1 {
		body["version"] = path[1]
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, errs.New(errs.Internal, "%w", err)
	}
	out := &Stats{}
	stream, err := c.DoAction(ctx, &aflight.Action{Type: "stats", Body: text})
	if err != nil {
		return nil, err
	}
	result, err := stream.Recv()
	switch status.Code(err) {
	case codes.OK:
		if err := json.Unmarshal(result.Body, out); err != nil {
			return nil, errs.New(errs.Argument, "the server's statistics: %w", err)
		}
		return out, nil
	case codes.Unimplemented, codes.NotFound, codes.InvalidArgument:
		return out, nil
	}
	return nil, err
}

// since returns what was added to earlier statistics.
func (s *Stats) since(earlier *Stats) *Stats {
	d := &Stats{Batches: s.Batches - earlier.Batches, Stages: maps.Clone(s.Stages), Copies: maps.Clone(s.Copies), Process: s.Process}
	for k := range d.Stages {
		d.Stages[k] -= earlier.Stages[k]
	}
	for k, c := range d.Copies {
		d.Copies[k] = Copies{c.Count - earlier.Copies[k].Count, c.Bytes - earlier.Copies[k].Bytes}
	}
	d.Process.HeapAllocated -= earlier.Process.HeapAllocated
	d.Process.GCCycles -= earlier.Process.GCCycles
	d.Process.CPUSeconds -= earlier.Process.CPUSeconds
	return d
}
