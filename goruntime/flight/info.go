package flight

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	aflight "github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/goruntime/goruntime/goruntime/arrowio"
)

// ListFlights describes every loaded model that the caller may use.
func (s *service) ListFlights(_ *aflight.Criteria, stream aflight.FlightService_ListFlightsServer) error {
	for _, m := range s.repository.All() {
		err := s.allowed(stream.Context(), m)
		if err == nil {
			err = stream.Send(info(m))
		} else {
			err = nil // not shown
		}
		m.leave()
		if err != nil {
			return statusOf(err)
		}
	}
	return nil
}

// GetFlightInfo describes one model, or the answers that a prepared statement has.
func (s *service) GetFlightInfo(ctx context.Context, d *aflight.FlightDescriptor) (*aflight.FlightInfo, error) {
	if d != nil && d.Type == aflight.DescriptorCMD {
		f, err := s.results(ctx, d)
		return f, statusOf(err)
	}
	return s.describe(ctx, d)
}

func (s *service) describe(ctx context.Context, d *aflight.FlightDescriptor) (*aflight.FlightInfo, error) {
	m, err := s.named(d)
	if err == nil {
		defer m.leave()
		err = s.allowed(ctx, m)
	}
	if err != nil {
		return nil, statusOf(err)
	}
	return info(m), nil
}

// GetSchema returns the schema that a model's batches may have.
func (s *service) GetSchema(ctx context.Context, d *aflight.FlightDescriptor) (*aflight.SchemaResult, error) {
	f, err := s.describe(ctx, d)
	if err != nil {
		return nil, err
	}
	return &aflight.SchemaResult{Schema: f.Schema}, nil
}

// info describes a model: the columns that its inputs take, and under the field's
// metadata what it answers with.
func info(m *Model) *aflight.FlightInfo {
	return &aflight.FlightInfo{
		Schema: aflight.SerializeSchema(schemaOf(m), memory.DefaultAllocator),
		FlightDescriptor: &aflight.FlightDescriptor{
			Type: aflight.DescriptorPATH, Path: []string{m.Name(), m.Version()},
		},
		TotalRecords: -1, TotalBytes: -1,
	}
}

// schemaOf returns a schema that the model takes by its manifest: the columns of each
// input.
func schemaOf(m *Model) *arrow.Schema {
	keys, values := []string{"goruntime.model", "goruntime.version"}, []string{m.Name(), m.Version()}
	columns, types := arrowio.Answers(m.session, m.manifest)
	for i, name := range columns {
		keys, values = append(keys, "goruntime.output."+name), append(values, types[i])
	}
	metadata := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(arrowio.Fields(m.session, m.manifest), &metadata)
}
