package flight

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// action is one of what DoAction takes; run returns the body of its result, nil for
// none.
type action struct {
	about string
	run   func(s *service, ctx context.Context, body []byte) ([]byte, error)
}

// actions are what DoAction takes, by type: ours, whose bodies are JSON objects with a
// model's name and version where they are about one, and those of Flight SQL.
var actions = map[string]action{
	"health":                  {"whether the server answers, and how many models are loaded", byJSON((*service).health)},
	"stats":                   {"a model's batches, memory, copies and time by stage, and what the process took", byJSON((*service).stats)},
	"refresh":                 {"load what is new or changed in the folder", byJSON((*service).refresh)},
	"load":                    {"load a model that was unloaded, or all of them, and what is new or changed", byJSON((*service).load)},
	"unload":                  {"let go of a model until its file changes, or it is loaded", byJSON((*service).unload)},
	"CreatePreparedStatement": {"make a Flight SQL statement whose query is a model", (*service).prepare},
	"ClosePreparedStatement":  {"end a Flight SQL statement", (*service).unprepare},
}

// actionBody is what an action is about.
type actionBody struct {
	Model   string `json:"model"`
	Version string `json:"version"`
}

// ListActions names the actions.
func (s *service) ListActions(_ *aflight.Empty, stream aflight.FlightService_ListActionsServer) error {
	for name, a := range actions {
		if err := stream.Send(&aflight.ActionType{Type: name, Description: a.about}); err != nil {
			return statusOf(err)
		}
	}
	return nil
}

// DoAction runs one action.
func (s *service) DoAction(a *aflight.Action, stream aflight.FlightService_DoActionServer) error {
	known, ok := actions[a.Type]
	if !ok {
		return statusOf(errs.New(errs.Name, "no action %q: see ListActions", a.Type))
	}
	result, err := known.run(s, stream.Context(), a.Body)
	if err != nil || result == nil {
		return statusOf(err)
	}
	return statusOf(stream.Send(&aflight.Result{Body: result}))
}

// byJSON makes the run of an action whose body and result are JSON objects.
func byJSON(run func(*service, context.Context, actionBody) (any, error)) func(*service, context.Context, []byte) ([]byte, error) {
	return func(s *service, ctx context.Context, text []byte) ([]byte, error) {
		var body actionBody
		if len(text) > 0 {
			d := json.NewDecoder(bytes.NewReader(text))
			d.DisallowUnknownFields()
			if err := d.Decode(&body); err != nil {
				return nil, errs.New(errs.Argument, `the action's body: %w: {"model": NAME, "version": VERSION} expected`, err)
			}
		}
		result, err := run(s, ctx, body)
		if err != nil {
			return nil, err
		}
		out, err := json.Marshal(result)
		if err != nil {
			return nil, errs.New(errs.Internal, "%w", err)
		}
		return out, nil
	}
}

func (s *service) health(context.Context, actionBody) (any, error) {
	models := s.repository.All()
	for _, m := range models {
		m.leave()
	}
	return map[string]any{"status": "serving", "models": len(models)}, nil
}

func (s *service) stats(ctx context.Context, b actionBody) (any, error) {
	m, err := s.repository.Get(b.Model, b.Version)
	if err != nil {
		return nil, err
	}
	defer m.leave()
	if err := s.allowed(ctx, m); err != nil {
		return nil, err
	}
	return map[string]any{
		"model": m.Name(), "version": m.Version(), "execution": m.session.Execution().Stats(), "io": m.session.IO().Stats(),
		"waiting": m.gate.waiting.Load(), "in_flight_bytes": m.gate.bytes.Load(),
		"batches": m.stages.batches.Load(), "stage_seconds": m.stages.seconds(), "copies": copiesOf(m.session.IO().Stats()), "process": processStats(),
	}, nil
}

func (s *service) refresh(ctx context.Context, _ actionBody) (any, error) {
	if err := s.admin(ctx); err != nil {
		return nil, err
	}
	return s.loaded(ctx, s.repository.Refresh())
}

func (s *service) load(ctx context.Context, b actionBody) (any, error) {
	if err := s.admin(ctx); err != nil {
		return nil, err
	}
	failed := s.repository.Load(b.Model, b.Version)
	if b.Model != "" {
		m, err := s.repository.Get(b.Model, b.Version)
		if err != nil {
			return nil, errors.Join(err, errors.Join(failed...))
		}
		m.leave()
		return s.health(ctx, b) // others that failed are not its concern
	}
	return s.loaded(ctx, failed)
}

// loaded tells what was loaded, or what failed.
func (s *service) loaded(ctx context.Context, failed []error) (any, error) {
	if len(failed) > 0 {
		texts := make([]string, len(failed))
		for i, err := range failed {
			texts[i] = err.Error()
		}
		return nil, errs.New(errs.CodeOf(errors.Join(failed...)), "%s", strings.Join(texts, "; "))
	}
	return s.health(ctx, actionBody{})
}

func (s *service) unload(ctx context.Context, b actionBody) (any, error) {
	if err := s.admin(ctx); err != nil {
		return nil, err
	}
	if err := s.repository.Unload(b.Model, b.Version); err != nil {
		return nil, err
	}
	return s.health(ctx, b)
}
