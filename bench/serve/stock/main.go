// Command stock is the neighbour of goruntime serve: a model behind an Arrow Flight
// server as arrow-go's documentation has it, with its codec, reader and writer and
// gRPC's defaults. The model runs on the same engine. It serves make bench-serve.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"runtime/metrics"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/exec"
	_ "github.com/goruntime/goruntime/goruntime/ops" // all operators
)

type server struct {
	flight.BaseFlightServer
	schema *arrow.Schema
	plan   *arrowio.Plan
}

// GetSchema describes the input of the model.
func (s *server) GetSchema(context.Context, *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	return &flight.SchemaResult{Schema: flight.SerializeSchema(s.schema, memory.DefaultAllocator)}, nil
}

// DoExchange scores a stream of batches.
func (s *server) DoExchange(stream flight.FlightService_DoExchangeServer) error {
	r, err := flight.NewRecordReader(stream)
	if err != nil {
		return err
	}
	defer r.Release()
	var w *flight.Writer
	for r.Next() {
		answer, err := s.plan.Score(stream.Context(), r.RecordBatch())
		if err != nil {
			return err
		}
		if w == nil {
			w = flight.NewRecordWriter(stream, ipc.WithSchema(answer.Schema()))
			defer w.Close()
		}
		err = w.WriteWithAppMetadata(answer, r.LatestAppMetadata())
		answer.Release()
		if err != nil {
			return err
		}
	}
	return r.Err()
}

// DoAction says what the process took.
func (s *server) DoAction(_ *flight.Action, stream flight.FlightService_DoActionServer) error {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(sample)
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{"process": map[string]any{
		"heap_allocated": sample[0].Value.Uint64(), "gc_cycles": sample[1].Value.Uint64(),
		"cpu_seconds": float64(use.Utime.Nano()+use.Stime.Nano()) / 1e9,
	}})
	if err != nil {
		return err
	}
	return stream.Send(&flight.Result{Body: text})
}

func main() {
	session, err := exec.Open(os.Args[1], exec.Options{})
	if err != nil {
		log.Fatal(err)
	}
	field, ok := arrowio.FieldOf(session.Inputs()[0])
	if !ok {
		log.Fatal("the model's input is no column")
	}
	s := &server{schema: arrow.NewSchema([]arrow.Field{field}, nil)}
	if s.plan, err = arrowio.Compile(session, s.schema, nil); err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	g := grpc.NewServer()
	flight.RegisterFlightServiceServer(g, s)
	fmt.Printf("listening on grpc+tcp://%s\n", l.Addr())
	log.Fatal(g.Serve(l))
}
