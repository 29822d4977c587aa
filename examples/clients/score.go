// Command clients is the Go client of docs/serving.md:
//
//	go run ./examples/clients 127.0.0.1:8815 model
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func main() {
	answer, err := score(context.Background(), os.Args[1], os.Args[2], 1, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
}

// score sends the values of the column x to a model and returns those of y.
func score(ctx context.Context, address, model string, xs ...float32) ([]float32, error) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float32}}, nil)
	rows := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer rows.Release()
	rows.Field(0).(*array.Float32Builder).AppendValues(xs, nil)
	batch := rows.NewRecordBatch()
	defer batch.Release()

	client, err := flight.NewClientWithMiddleware(address, nil, nil,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(256<<20))) // 4 MB by default
	if err != nil {
		return nil, err
	}
	defer client.Close()
	stream, err := client.DoExchange(ctx)
	if err != nil {
		return nil, err
	}
	w := flight.NewRecordWriter(stream, ipc.WithSchema(schema))
	w.SetFlightDescriptor(&flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{model}})
	if err := w.Write(batch); err != nil { // and again for further batches
		return nil, err
	}
	r, err := flight.NewRecordReader(stream)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	if !r.Next() {
		return nil, r.Err()
	}
	y := r.RecordBatch().Column(0).(*array.Float32)
	return append([]float32(nil), y.Float32Values()...), stream.CloseSend()
}
