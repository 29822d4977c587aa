package arrowio_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/exec"
	_ "github.com/goruntime/goruntime/goruntime/ops" // all operators
)

// A plan is made once for a schema and scores any number of batches, from any goroutine.
func ExamplePlan_Score() {
	session, err := exec.Open("../../tests/models/double.onnx", exec.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float32, Nullable: true}}, nil)
	rules := &arrowio.Manifest{Inputs: map[string]arrowio.InputRule{"x": {Fill: 5.0}}} // nil for none
	plan, err := arrowio.Compile(session, schema, rules)
	if err != nil {
		log.Fatal(err)
	}
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[{"x": 1}, {"x": null}, {"x": 3}]`))
	if err != nil {
		log.Fatal(err)
	}
	defer batch.Release()
	answer, err := plan.Score(context.Background(), batch)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Release() // which gives its memory back to the session's arena
	fmt.Println(answer.Schema().Field(0).Name, answer.Column(0))
	// Output: y [2 10 6]
}
