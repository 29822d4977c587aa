package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"

	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/flight"
)

// serving are the flags of serve.
type serving struct {
	host                 string
	port, metricsPort    int
	threads              int
	reload, drain, idle  time.Duration
	busyPoll             time.Duration // of one wait for a message
	cert, key, clientCAs string
	tokens               string
	held, received       int64
	message              int
	insecure, verbose    bool
	stock                bool
}

func serveCommand() *cobra.Command {
	s := &serving{}
	c := &cobra.Command{
		Use:   "serve MODEL_DIR",
		Short: "Serve the models of a folder by Arrow Flight",
		Long: "Serves NAME/VERSION/model.onnx, NAME/model.onnx and NAME.onnx of a folder, each with its\n" +
			"manifest beside it. DoExchange with the descriptor [NAME] or [NAME, VERSION] scores batches.",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return s.run(c.Context(), args[0]) },
	}
	f := c.Flags()
	f.StringVar(&s.host, "host", "127.0.0.1", "address to listen on")
	f.IntVar(&s.port, "port", 8815, "port to listen on, 0 for any")
	f.IntVar(&s.metricsPort, "metrics-port", -1, "port of Prometheus metrics over HTTP, 0 for any, -1 for none")
	f.IntVar(&s.threads, "threads", 0, "threads of a run, 0 for all")
	f.DurationVar(&s.reload, "reload", 5*time.Second, "how often the folder, certificates and tokens are looked at, 0 for never")
	f.DurationVar(&s.drain, "drain", 30*time.Second, "how long calls may take to end after SIGTERM")
	f.DurationVar(&s.idle, "idle", 10*time.Minute, "how long a stream may wait for a client that neither sends nor reads, and a statement to be used, 0 for ever")
	f.DurationVar(&s.busyPoll, "busy-poll", 100*time.Microsecond, "how long a busy connection looks for its next message before it sleeps, 0 for not at all")
	f.Int64Var(&s.held, "held", 256<<20, "bytes of answers that the prepared statements of ADBC clients hold until they are fetched")
	f.IntVar(&s.message, "max-message", 256<<20, "bytes of one message; a longer one is refused while it arrives")
	f.Int64Var(&s.received, "received", 2<<30, "bytes of batches that are held together until they are answered")
	f.StringVar(&s.cert, "tls-cert", "", "file of the server's certificate")
	f.StringVar(&s.key, "tls-key", "", "file of its key")
	f.StringVar(&s.clientCAs, "tls-client-ca", "", "file of the authorities of client certificates, which are then required")
	f.StringVar(&s.tokens, "tokens", "", `file of bearer tokens: [{"token": "...", "models": ["..."], "admin": false}]`)
	f.BoolVar(&s.insecure, "insecure", false, "listen on a public address without TLS and tokens")
	f.BoolVar(&s.stock, "stock-codec", false, "receive and send by protobuf's own codec, which copies more, should gRPC's interface for memory fail")
	f.BoolVar(&s.verbose, "verbose", false, "log every call")
	return c
}

// garbage is how much a heap may grow, in percent, until it is collected. What models and
// batches hold lies outside the heap, which is small: collecting it as often as Go does of
// itself is a twentieth of what a small batch costs.
const garbage = 400

// collectSeldom applies garbage where the environment does not say GOGC.
func collectSeldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
}

// run serves until ctx ends, then drains.
func (s *serving) run(ctx context.Context, dir string) error {
	collectSeldom()
	options, files, err := s.options()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	var flush func()
	if options.Tracer, flush, err = tracer(ctx, log); err != nil {
		return err
	}
	defer flush()
	r := flight.NewRepository(dir, exec.Options{Threads: s.threads})
	defer r.Close()
	failed := r.Refresh()
	for _, err := range failed {
		log.Error("model not loaded", "error", err.Error())
	}
	models := r.All()
	for _, m := range models {
		log.Info("model loaded", "model", m.Name(), "version", m.Version())
		m.Leave()
	}
	if len(models) == 0 {
		return errors.Join(append(failed, fmt.Errorf("no model in %s could be loaded", dir))...)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(s.host, fmt.Sprint(s.port)))
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	server := flight.New(r, options)
	scheme := "grpc+tcp"
	if options.TLS != nil {
		scheme = "grpc+tls"
	}
	fmt.Printf("listening on %s://%s\n", scheme, l.Addr())
	if err := s.serveMetrics(server); err != nil {
		return err
	}
	go s.watch(ctx, func() {
		for _, err := range r.Refresh() {
			log.Error("model not loaded", "error", err.Error())
		}
		renew(server, files, log)
	})
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	log.Info("draining: interrupt again to end at once", "seconds", s.drain.Seconds())
	grace, cancel := context.WithTimeout(context.Background(), s.drain)
	defer cancel()
	server.Stop(grace)
	return nil
}

// watch looks at files again and again.
func (s *serving) watch(ctx context.Context, look func()) {
	if s.reload <= 0 {
		return
	}
	t := time.NewTicker(s.reload)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			look()
		}
	}
}

// renew takes over what the files that protect the server hold now.
func renew(server *flight.Server, p *protection, log *slog.Logger) {
	changed, err := p.read()
	if err == nil && changed && p.tokens != "" {
		err = server.SetTokens(p.list)
	}
	if err != nil {
		log.Error("credentials not renewed, those before stay", "error", err.Error())
	} else if changed {
		log.Info("credentials renewed")
	}
}

// serveMetrics serves what Prometheus reads, for as long as the process lives.
func (s *serving) serveMetrics(server *flight.Server) error {
	if s.metricsPort < 0 {
		return nil
	}
	l, err := net.Listen("tcp", net.JoinHostPort(s.host, fmt.Sprint(s.metricsPort)))
	if err != nil {
		return fmt.Errorf("cannot listen for metrics: %w", err)
	}
	fmt.Printf("metrics on http://%s/metrics\n", l.Addr())
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(server.Metrics(), promhttp.HandlerOpts{}))
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = web.Serve(l) }() // ends with the process
	return nil
}

// options reads the files that the flags name.
func (s *serving) options() (flight.Options, *protection, error) {
	o := flight.Options{Idle: s.idle, BusyPoll: s.busyPoll, Held: s.held, MaxMessage: s.message, Received: s.received, Stock: s.stock}
	if s.idle == 0 {
		o.Idle = -1
	}
	if s.busyPoll == 0 {
		o.BusyPoll = -1
	}
	if s.verbose {
		o.Log = slog.New(slog.NewJSONHandler(os.Stderr, nil))
	}
	p := &protection{cert: s.cert, key: s.key, clientCAs: s.clientCAs, tokens: s.tokens}
	err := p.check()
	if err == nil {
		_, err = p.read()
	}
	if err != nil {
		return o, nil, err
	}
	o.TLS, o.Tokens = p.tls(), p.list
	if ip := net.ParseIP(s.host); !s.insecure && (ip == nil || !ip.IsLoopback()) && s.host != "localhost" && (o.TLS == nil || s.tokens == "" && s.clientCAs == "") {
		return o, nil, fmt.Errorf("%s is no loopback address: give --tls-cert and --tokens or --tls-client-ca, or say --insecure", s.host)
	}
	return o, p, nil
}
