package flight

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/goruntime/goruntime/goruntime/arena"
	"github.com/goruntime/goruntime/goruntime/errs"
)

// metrics are what Prometheus reads. Labels are models, versions, stages, reasons, methods
// and codes: never anything that a client chooses. docs/serving.md lists them.
type metrics struct {
	registry  *prometheus.Registry
	stages    *prometheus.HistogramVec
	rows      *prometheus.CounterVec
	batches   *prometheus.CounterVec
	refusals  *prometheus.CounterVec
	dispatch  *prometheus.CounterVec
	coalesced *prometheus.HistogramVec
	calls     *prometheus.CounterVec
}

func newMetrics() *metrics {
	ms := &metrics{registry: prometheus.NewRegistry()}
	ms.stages = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "goruntime_stage_seconds", Help: "Time of each stage of a batch.", Buckets: prometheus.ExponentialBuckets(1e-5, 4, 10),
	}, []string{"model", "version", "stage"})
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, append([]string{"model", "version"}, labels...))
	}
	ms.rows = counter("goruntime_rows_total", "Rows that were scored.")
	ms.batches = counter("goruntime_batches_total", "Batches that were scored.")
	ms.refusals = counter("goruntime_refusals_total", "Batches that were refused, by the code of the error.", "code")
	ms.dispatch = counter("goruntime_dispatches_total", "Runs of the batcher, by what closed them.", "reason")
	ms.coalesced = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "goruntime_coalesced_requests", Help: "Requests that ran together.", Buckets: prometheus.ExponentialBuckets(1, 2, 9),
	}, []string{"model", "version"})
	ms.calls = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "goruntime_calls_total", Help: "Calls that ended, by their gRPC status."}, []string{"method", "code"})
	ms.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		ms.stages, ms.rows, ms.batches, ms.refusals, ms.dispatch, ms.coalesced, ms.calls)
	return ms
}

// counts are what is counted of every batch of a model, looked up once.
type counts struct{ batches, rows prometheus.Counter }

func (ms *metrics) countsOf(m *Model) counts {
	return counts{ms.batches.WithLabelValues(m.Name(), m.Version()), ms.rows.WithLabelValues(m.Name(), m.Version())}
}

func (c *counts) scored(rows int) {
	c.batches.Inc()
	c.rows.Add(float64(rows))
}

func (ms *metrics) refused(m *Model, err error) {
	ms.refusals.WithLabelValues(m.Name(), m.Version(), errs.CodeOf(err).String()).Inc()
}

func (ms *metrics) dispatched(m *Model, reason string, requests int) {
	ms.dispatch.WithLabelValues(m.Name(), m.Version(), reason).Inc()
	ms.coalesced.WithLabelValues(m.Name(), m.Version()).Observe(float64(requests))
}

// collector reads the arenas of the loaded models, and what statements hold, when
// Prometheus asks.
type collector struct {
	r  *Repository
	ss *statements
}

var (
	bytesHeld       = prometheus.NewDesc("goruntime_arena_bytes", "Bytes of an arena, live or retained.", []string{"model", "version", "arena", "state"}, nil)
	copiesMade      = prometheus.NewDesc("goruntime_copies_total", "Payload copies by reason.", []string{"model", "version", "reason"}, nil)
	statementsOpen  = prometheus.NewDesc("goruntime_statements", "Prepared statements that are open.", nil, nil)
	statementBytes  = prometheus.NewDesc("goruntime_statement_bytes", "Bytes of answers that prepared statements hold until they are fetched.", nil, nil)
	batchesInFlight = prometheus.NewDesc("goruntime_in_flight_batches", "Batches that wait or run.", []string{"model", "version"}, nil)
	bytesInFlight   = prometheus.NewDesc("goruntime_in_flight_bytes", "Bytes of batches that wait or run.", []string{"model", "version"}, nil)
	bytesCopied     = prometheus.NewDesc("goruntime_copied_bytes_total", "Bytes of payload copies by reason.", []string{"model", "version", "reason"}, nil)
)

// Describe implements prometheus.Collector.
func (c collector) Describe(ch chan<- *prometheus.Desc) {
	ch <- bytesHeld
	ch <- copiesMade
	ch <- bytesCopied
	ch <- batchesInFlight
	ch <- bytesInFlight
	ch <- statementsOpen
	ch <- statementBytes
}

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.MustNewConstMetric(statementsOpen, prometheus.GaugeValue, float64(c.ss.open()))
	ch <- prometheus.MustNewConstMetric(statementBytes, prometheus.GaugeValue, float64(c.ss.held.Load()))
	for _, m := range c.r.All() {
		io, execution := m.session.IO().Stats(), m.session.Execution().Stats()
		for name, s := range map[string]arena.Stats{"io": io, "execution": execution} {
			ch <- prometheus.MustNewConstMetric(bytesHeld, prometheus.GaugeValue, float64(s.Live), m.Name(), m.Version(), name, "live")
			ch <- prometheus.MustNewConstMetric(bytesHeld, prometheus.GaugeValue, float64(s.Retained), m.Name(), m.Version(), name, "retained")
		}
		ch <- prometheus.MustNewConstMetric(batchesInFlight, prometheus.GaugeValue, float64(m.gate.waiting.Load()), m.Name(), m.Version())
		ch <- prometheus.MustNewConstMetric(bytesInFlight, prometheus.GaugeValue, float64(m.gate.bytes.Load()), m.Name(), m.Version())
		for why := range arena.NumCopyReasons {
			ch <- prometheus.MustNewConstMetric(copiesMade, prometheus.CounterValue, float64(io.Copies[why]), m.Name(), m.Version(), why.String())
			ch <- prometheus.MustNewConstMetric(bytesCopied, prometheus.CounterValue, float64(io.CopiedBytes[why]), m.Name(), m.Version(), why.String())
		}
		m.leave()
	}
}
