package goruntime_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/goruntime/goruntime/goruntime"
	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/tensor"
	"github.com/goruntime/goruntime/goruntime/values"
)

// Open a model, run it, read the output, give it back.
func ExampleSession_Run() {
	session, err := goruntime.Open("../tests/models/chain.onnx", goruntime.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	x, err := goruntime.Of([]float32{-1, 2, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	results, err := session.Run(context.Background(), map[string]tensor.View{"x": x})
	if err != nil {
		log.Fatal(err)
	}
	defer results[0].Release()
	y, err := goruntime.Elements[float32](results[0])
	fmt.Println(y, err)
	// Output: [0 6 12] <nil>
}

// An output outlives its session; its arena counts it until it is released.
func ExampleTensor_Release() {
	io := arena.NewIO(arena.Options{})
	session, err := goruntime.Open("../tests/models/chain.onnx", goruntime.Options{IO: io})
	if err != nil {
		log.Fatal(err)
	}
	x, _ := goruntime.Of([]float32{4}, 1)
	results, err := session.Run(context.Background(), map[string]tensor.View{"x": x})
	if err != nil {
		log.Fatal(err)
	}
	session.Close()
	y, _ := goruntime.Elements[float32](results[0])
	fmt.Println(y, io.Stats().LiveBlocks)
	results[0].Release()
	fmt.Println(io.Stats().LiveBlocks, io.Stats().RetainedBlocks)
	io.Close()
	// Output:
	// [20] 1
	// 0 1
}

// A sequence is fed by a call of the session beneath.
func ExampleSession_Exec() {
	session, err := goruntime.Open("../tests/models/pieces.onnx", goruntime.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	x, _ := goruntime.Of([]float32{1, 2}, 2)
	sequence := values.New(values.Sequence, values.NewTensor(x, arena.Handle{})) // which does not own x
	call := exec.Call{
		In:     []tensor.View{{DType: tensor.Other}, x},
		Values: []*values.Value{sequence, nil},
		Out:    make([]exec.Result, 1),
	}
	if err := session.Exec().Run(&call); err != nil {
		log.Fatal(err)
	}
	defer call.Out[0].Release()
	fmt.Println(call.Out[0].Value)
	// Output: seq(f32[2], f32[2])
}

// A run ends when its context does.
func ExampleSession_Run_timeout() {
	session, err := goruntime.Open("../tests/models/slow.onnx", goruntime.Options{Threads: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	x, _ := goruntime.Of(make([]float32, 2048*256), 2048, 256)
	_, err = session.Run(ctx, map[string]tensor.View{"v0": x})
	fmt.Println(err != nil)
	// Output: true
}
