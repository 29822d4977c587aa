package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/metadata"

	"github.com/goruntime/goruntime/goruntime/flight/load"
)

// loading are the flags of bench-serve.
type loading struct {
	streams, rows    []int
	inFlight, length int
	warmup, time     time.Duration
	token, ca        string
	json             bool
}

func benchCommand() *cobra.Command {
	l := &loading{}
	c := &cobra.Command{
		Use:   "bench-serve ADDRESS MODEL [VERSION]",
		Short: "Measure a server under load",
		Long: "Sends made-up batches to a model of a server (grpc+tcp://HOST:PORT, grpc+tls://HOST:PORT or\n" +
			"HOST:PORT), with every number of streams and of rows, and prints throughput, latency and,\n" +
			"by the server's own count, the time of each stage, CPU, heap and copies of a batch.",
		Args: cobra.RangeArgs(2, 3),
		RunE: func(c *cobra.Command, args []string) error {
			return l.run(c.Context(), c.OutOrStdout(), args[0], args[1:])
		},
	}
	f := c.Flags()
	f.IntSliceVar(&l.streams, "streams", []int{1, 2, 4, 8, 16}, "streams at once, each with a connection of its own")
	f.IntSliceVar(&l.rows, "rows", []int{1, 16, 256, 4096}, "rows of a batch")
	f.IntVar(&l.inFlight, "in-flight", 1, "batches of a stream that may wait for answers")
	f.IntVar(&l.length, "list-length", 16, "length of lists that the model leaves open")
	f.DurationVar(&l.warmup, "warmup", 300*time.Millisecond, "time before each measurement")
	f.DurationVar(&l.time, "time", 2*time.Second, "time of each measurement")
	f.StringVar(&l.token, "token", "", "bearer token")
	f.StringVar(&l.ca, "tls-ca", "", "file of the authorities of the server's certificate, the system's by default")
	f.BoolVar(&l.json, "json", false, "print a JSON object a line instead of a table")
	return c
}

func (l *loading) run(ctx context.Context, out io.Writer, address string, path []string) error {
	t, err := l.target(address, path)
	if err != nil {
		return err
	}
	if l.token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+l.token)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if !l.json {
		fmt.Fprintln(table, "streams\trows\tKB\tbatches/s\tMB/s\tp50 ms\tp90\tp99\tmax\t|\tdecode us\tinput\tqueue\tinfer\toutput\tencode\t|\tCPU us\theap KB\tcopies\tKB copied\t")
	}
	for _, rows := range l.rows {
		for _, streams := range l.streams {
			if rows < 0 || streams < 1 {
				return fmt.Errorf("%d rows by %d streams: positive numbers expected", rows, streams)
			}
			r, err := load.Run(ctx, t, load.Case{Streams: streams, Rows: rows, InFlight: l.inFlight, Length: l.length, Warmup: l.warmup, Time: l.time})
			if err != nil {
				return err
			}
			if l.json {
				err = json.NewEncoder(out).Encode(r)
			} else {
				err = line(table, r)
			}
			if err != nil {
				return err
			}
		}
	}
	return table.Flush()
}

// line writes the line of one result: what the server counted is by batch.
func line(w io.Writer, r *load.Result) error {
	n := float64(max(1, r.Server.Batches))
	fmt.Fprintf(w, "%d\t%d\t%.1f\t%.0f\t%.1f\t%.3f\t%.3f\t%.3f\t%.3f\t|\t", r.Streams, r.Rows, float64(r.Bytes)/1e3, r.BatchesPerSecond(),
		r.BatchesPerSecond()*float64(r.Bytes)/1e6, 1e3*r.P50, 1e3*r.P90, 1e3*r.P99, 1e3*r.Max)
	if r.Server.Batches == 0 {
		_, err := fmt.Fprintln(w, strings.Repeat("-\t", 6)+"|\t"+strings.Repeat("-\t", 4))
		return err
	}
	for _, stage := range []string{"decode", "input", "queue", "infer", "output", "encode"} {
		fmt.Fprintf(w, "%.1f\t", 1e6*r.Server.Stages[stage]/n)
	}
	copies, copied := int64(0), int64(0)
	for _, c := range r.Server.Copies {
		copies, copied = copies+c.Count, copied+c.Bytes
	}
	_, err := fmt.Fprintf(w, "|\t%.1f\t%.1f\t%.2f\t%.1f\t\n", 1e6*r.Server.Process.CPUSeconds/n, float64(r.Server.Process.HeapAllocated)/n/1e3,
		float64(copies)/n, float64(copied)/n/1e3)
	return err
}

// target reads the address and the files that the flags name.
func (l *loading) target(address string, path []string) (load.Target, error) {
	scheme, host, found := strings.Cut(address, "://")
	if !found {
		scheme, host = "grpc+tcp", address
	}
	t := load.Target{Address: host, Path: path}
	switch scheme {
	case "grpc+tcp", "grpc":
		return t, nil
	case "grpc+tls":
	default:
		return t, fmt.Errorf("the scheme %s: grpc+tcp or grpc+tls expected", scheme)
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}}
	if l.ca != "" {
		text, err := os.ReadFile(l.ca)
		if err != nil {
			return t, fmt.Errorf("the authorities: %w", err)
		}
		if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(text) {
			return t, errors.New(l.ca + " holds no certificate")
		}
	}
	t.TLS = c
	return t, nil
}
