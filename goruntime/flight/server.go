package flight

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
)

// Options are how a server listens; the zero value serves anyone on a private address.
type Options struct {
	TLS *tls.Config // nil is plain text
	// Tokens are the bearer tokens that may call, and what each may do; none is anyone. They
	// are those of the beginning: see Server.SetTokens.
	Tokens []Token
	// MaxMessage is the most bytes of one message; 0 is 256 MiB.
	MaxMessage int
	// Received is the most bytes of bodies that are held together until their batches are
	// answered; 0 is 2 GiB.
	Received int64
	// Idle is how long a stream may wait for a client that neither sends nor reads, and a
	// prepared statement to be used; 0 is 10 minutes, less than that for ever.
	Idle time.Duration
	// Held is the most bytes of answers that prepared statements hold together until they
	// are fetched; 0 is 256 MiB.
	Held int64
	// BusyPoll is how long a connection that is busy, and alone, looks for its next message
	// before it sleeps; 0 is 100 microseconds, less than that not at all.
	BusyPoll time.Duration
	// Stock has messages go through protobuf's own codec and gRPC's buffers: slower, and
	// without gRPC's experimental interface for memory.
	Stock bool
	Log   *slog.Logger // nil logs nothing
	// Tracer makes a span of every call, batch and stage; nil makes none.
	Tracer trace.Tracer
}

// Server serves a repository by Arrow Flight.
type Server struct {
	grpc    *grpc.Server
	health  *health.Server
	service *service
	wire    *wire
}

// service is the Flight service.
type service struct {
	aflight.BaseFlightServer
	repository *Repository
	options    Options
	tokens     atomic.Pointer[[]Token]
	io         *arena.IOArena // what bodies are received into
	tracing    tracing
	statements *statements
	exchanges  sync.WaitGroup // streams that read or send batches
}

// What the transport may hold of a connection. A batch of a megabyte needs no round
// trip within the window; buffers are taken from a pool, so idle connections have none.
const (
	window      = 4 << 20
	readBuffer  = 128 << 10
	writeBuffer = 512 << 10
	frame       = 16 << 10 // the largest that HTTP/2 peers send unless told otherwise
	maxStreams  = 256      // of a connection; further ones wait for their turn at the client
)

// flightService is the service's name in Flight.proto, by which its health is asked.
const flightService = "arrow.flight.protocol.FlightService"

// New returns a server over a repository, which it does not close.
func New(r *Repository, o Options) *Server {
	if o.MaxMessage == 0 {
		o.MaxMessage = 256 << 20
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Idle == 0 {
		o.Idle = 10 * time.Minute
	}
	if o.BusyPoll == 0 {
		o.BusyPoll = 100 * time.Microsecond
	}
	if o.Held == 0 {
		o.Held = 256 << 20
	}
	if o.Received == 0 {
		o.Received = 2 << 30
	}
	w := newWire(o.Received)
	s := &Server{health: health.NewServer(), wire: w}
	s.service = &service{repository: r, options: o, io: w.io, tracing: tracing{o.Tracer}, statements: newStatements(o.Held, o.Idle)}
	s.service.tokens.Store(&o.Tokens)
	list := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(o.MaxMessage), grpc.MaxSendMsgSize(o.MaxMessage), grpc.InitialWindowSize(window),
		grpc.InitialConnWindowSize(window), grpc.ReadBufferSize(readBuffer), grpc.WriteBufferSize(writeBuffer),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: time.Minute, Timeout: 20 * time.Second}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 10 * time.Second, PermitWithoutStream: true}),
		grpc.StreamInterceptor(s.service.stream), grpc.UnaryInterceptor(s.service.unary),
	}
	if !o.Stock {
		list = append(list, grpc.ForceServerCodecV2(s.wire), experimental.BufferPool(newFrames(frame/4, frame, readBuffer)))
	}
	if o.TLS != nil {
		list = append(list, grpc.Creds(credentials.NewTLS(o.TLS)))
	}
	s.grpc = grpc.NewServer(list...)
	aflight.RegisterFlightServiceServer(s.grpc, s.service)
	s.health.SetServingStatus(flightService, healthpb.HealthCheckResponse_SERVING)
	healthpb.RegisterHealthServer(s.grpc, s.health)
	reflection.Register(s.grpc)
	return s
}

// Serve answers calls on a listener until Stop.
func (s *Server) Serve(l net.Listener) error {
	return s.grpc.Serve(newBusyPoller(l, s.service.options.BusyPoll))
}

// SetTokens has calls that begin from now on show one of other tokens; those under way go on.
// It may be called from any goroutine.
//
// Errors: errs.Argument as ParseTokens, also for none: a server that asks for tokens goes on
// to do so.
func (s *Server) SetTokens(list []Token) error {
	if err := checkTokens(list); err != nil {
		return errs.New(errs.Argument, "the tokens: %w", err)
	}
	s.service.tokens.Store(&list)
	return nil
}

// Metrics returns what Prometheus gathers.
func (s *Server) Metrics() prometheus.Gatherer {
	r := s.service.repository.metrics.registry
	_ = r.Register(collector{s.service.repository, s.service.statements}) // a second call finds it there
	return r
}

// Stop refuses new calls, lets those under way end, and breaks them off when ctx ends.
func (s *Server) Stop(ctx context.Context) {
	s.health.Shutdown()
	done := make(chan struct{})
	go func() {
		s.grpc.GracefulStop()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		s.grpc.Stop()
		<-done
	}
	s.service.exchanges.Wait()
	s.service.statements.closeAll()
	s.wire.io.Close()
}

// ---- who may call ----

type tokenKey struct{}

// caller returns ctx with the token of a call. Whether the server is well may be asked
// without one.
func (s *service) caller(ctx context.Context, method string) (context.Context, error) {
	tokens := *s.tokens.Load()
	if len(tokens) == 0 || strings.HasPrefix(method, "/grpc.health.") {
		return ctx, nil
	}
	md, _ := metadata.FromIncomingContext(ctx)
	for _, header := range md.Get("authorization") {
		secret, ok := strings.CutPrefix(header, "Bearer ")
		if !ok {
			continue
		}
		for i := range tokens {
			if t := &tokens[i]; subtle.ConstantTimeCompare([]byte(secret), []byte(t.Secret)) == 1 {
				return context.WithValue(ctx, tokenKey{}, t), nil
			}
		}
	}
	return nil, status.Error(codes.Unauthenticated, "a bearer token that this server knows expected in the header authorization")
}

// tokenOf returns the token of a call, nil where the server knows none.
func tokenOf(ctx context.Context) *Token {
	t, _ := ctx.Value(tokenKey{}).(*Token)
	return t
}

// allowed reports whether the caller may use a model.
func (s *service) allowed(ctx context.Context, m *Model) error {
	t := tokenOf(ctx)
	if t == nil || len(t.Models) == 0 || slices.Contains(t.Models, m.Name()) {
		return nil
	}
	return status.Errorf(codes.PermissionDenied, "this token may not use the model %q", m.Name())
}

// admin reports whether the caller may load and unload models.
func (s *service) admin(ctx context.Context) error {
	if t := tokenOf(ctx); t == nil || t.Admin {
		return nil
	}
	return status.Error(codes.PermissionDenied, "this token may not load or unload models")
}

// ---- around every call ----

type streamWith struct {
	grpc.ServerStream
	ctx context.Context
}

func (s streamWith) Context() context.Context { return s.ctx }

func (s *service) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	start := time.Now()
	ctx, end := s.tracing.call(ss.Context(), info.FullMethod)
	defer func() { end(err) }()
	if ctx, err = s.caller(ctx, info.FullMethod); err == nil {
		err = s.guarded(func() error { return next(srv, streamWith{ss, ctx}) })
	}
	s.ended(ctx, info.FullMethod, start, err)
	return err
}

func (s *service) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (resp any, err error) {
	start := time.Now()
	ctx, end := s.tracing.call(ctx, info.FullMethod)
	defer func() { end(err) }()
	if ctx, err = s.caller(ctx, info.FullMethod); err == nil {
		err = s.guarded(func() (err error) {
			resp, err = next(ctx, req)
			return err
		})
	}
	s.ended(ctx, info.FullMethod, start, err)
	return resp, err
}

// guarded turns a panic of one call into its status: the server lives on.
func (s *service) guarded(call func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			s.options.Log.Error("panic", "value", v)
			err = status.Errorf(codes.Internal, "goruntime bug: %v", v)
		}
	}()
	return call()
}

// ended counts and logs a call.
func (s *service) ended(ctx context.Context, method string, start time.Time, err error) {
	s.repository.metrics.calls.WithLabelValues(method[strings.LastIndexByte(method, '/')+1:], status.Code(err).String()).Inc()
	level := slog.LevelInfo
	if err != nil {
		level = slog.LevelWarn
	}
	about := []any{"method", method, "seconds", time.Since(start).Seconds(), "code", status.Code(err).String()}
	if of := trace.SpanContextFromContext(ctx); of.IsValid() {
		about = append(about, "trace", of.TraceID().String())
	}
	s.options.Log.Log(ctx, level, "call", about...)
}
