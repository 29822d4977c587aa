package main

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/flight"
	_ "github.com/goruntime/goruntime/goruntime/ops" // all operators
)

func TestScore(t *testing.T) {
	repository := flight.NewRepository("../../tests/models/double.onnx", exec.Options{})
	defer repository.Close()
	if failed := repository.Refresh(); len(failed) > 0 {
		t.Fatal(failed)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := flight.New(repository, flight.Options{})
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	got, err := score(context.Background(), l.Addr().String(), "double", 1, 2.5)
	if err != nil || !slices.Equal(got, []float32{2, 5}) {
		t.Errorf("%v, %v", got, err)
	}
	// An answer of more than what gRPC lets a client receive by itself.
	if got, err := score(context.Background(), l.Addr().String(), "double", make([]float32, 2<<20)...); err != nil || len(got) != 2<<20 {
		t.Errorf("8 MB: %d rows, %v", len(got), err)
	}
	if _, err := score(context.Background(), l.Addr().String(), "none", 1); err == nil {
		t.Error("a model that is not there answers")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	server.Stop(ctx)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
