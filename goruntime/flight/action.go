package flight

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	aflight "github.com/apache/arrow-go/v18/arrow/flight"

	"github.com/goruntime/goruntime/goruntime/errs"
)

// actions are what DoAction takes, by type. The body is a JSON object with the model's
// name and version, where the action is about one.
var actions = map[string]struct {
	about string
	run   func(s *service, ctx context.Context, body actionBody) (any, error)
}{
	"health":  {"whether the server answers, and how many models are loaded", (*service).health},
	"stats":   {"a model's batches, memory, copies and time by stage, and what the process took", (*service).stats},
	"refresh": {"load what is new or changed in the folder", (*service).refresh},
	"load":    {"the same as refresh", (*service).refresh},
	"unload":  {"let go of a model until its file changes", (*service).unload},
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

// DoAction runs one action and returns a JSON object.
func (s *service) DoAction(a *aflight.Action, stream aflight.FlightService_DoActionServer) error {
	known, ok := actions[a.Type]
	if !ok {
		return statusOf(errs.New(errs.Name, "no action %q: see ListActions", a.Type))
	}
	var body actionBody
	if len(a.Body) > 0 {
		if err := json.Unmarshal(a.Body, &body); err != nil {
			return statusOf(errs.New(errs.Argument, "the action's body is no JSON object: %w", err))
		}
	}
	result, err := known.run(s, stream.Context(), body)
	if err != nil {
		return statusOf(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		return statusOf(errs.New(errs.Internal, "%w", err))
	}
	return statusOf(stream.Send(&aflight.Result{Body: text}))
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
	failed := s.repository.Refresh()
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
