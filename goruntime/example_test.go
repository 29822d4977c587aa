package goruntime_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/goruntime/goruntime/goruntime"
	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/tensor"
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

// A record batch is scored where its columns lie.
func ExampleSession_Exec() {
	session, err := goruntime.Open("../tests/models/double.onnx", goruntime.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float32}}, nil)
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[{"x": 1}, {"x": 2}]`))
	if err != nil {
		log.Fatal(err)
	}
	defer batch.Release()
	plan, err := arrowio.Compile(session.Exec(), schema, nil)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := plan.Score(context.Background(), batch)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Release()
	fmt.Println(answer.ColumnName(0), answer.Column(0))
	// Output: y [2 4]
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
