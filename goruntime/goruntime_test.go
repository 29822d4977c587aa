package goruntime_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goruntime/goruntime/goruntime"
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/internal/testkit"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func open(t *testing.T, name string) *goruntime.Session {
	t.Helper()
	s, err := goruntime.Open("../tests/models/"+name+".onnx", goruntime.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func of[T goruntime.Element](t *testing.T, s []T, shape ...int) tensor.View {
	t.Helper()
	v, err := goruntime.Of(s, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func want(t *testing.T, err error, code errs.Code, text string) {
	t.Helper()
	if errs.CodeOf(err) != code || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v (%v), %q (%v) expected", err, errs.CodeOf(err), text, code)
	}
}

// Texts go in where they lie and come out as copies.
func TestStrings(t *testing.T) {
	testkit.NoLeaks(t)
	session := open(t, "strings")
	defer session.Close()
	feeds := map[string]tensor.View{"s": of(t, []string{"a", "", "日本"}, 3), "t": of(t, []string{strings.Repeat("b", 100)}, 1)}
	results, err := session.Run(context.Background(), feeds)
	if err != nil {
		t.Fatal(err)
	}
	got, err := goruntime.Elements[string](results[0])
	if err != nil {
		t.Fatal(err)
	}
	results[0].Release()
	if want := []string{"a", "", "日本", strings.Repeat("b", 100)}; !slices.Equal(got, want) {
		t.Errorf("got %q, %q expected", got, want)
	}
}

// A model that is given as bytes describes itself, and counts in its own arenas.
func TestParse(t *testing.T) {
	testkit.NoLeaks(t)
	text, err := os.ReadFile("../tests/models/fixed.onnx")
	if err != nil {
		t.Fatal(err)
	}
	session, err := goruntime.Parse(text, "", goruntime.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	in, out := session.Inputs(), session.Outputs()
	if len(in) != 1 || len(out) != 1 || in[0].Name != "x" || out[0].Name != "y" || in[0].Type.String() != "tensor(float)" || len(in[0].Type.Dims) != 2 {
		t.Errorf("the model has the inputs %v and the outputs %v", in, out)
	}
	results, err := session.Run(context.Background(), map[string]tensor.View{"x": of(t, []float32{1, -2, 3}, 1, 3)})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := goruntime.Elements[float32](results[0]); err != nil || !slices.Equal(got, []float32{1, 0, 3}) {
		t.Errorf("got %v, %v", got, err)
	}
	if held := session.IOArena().Stats().LiveBlocks; held != 1 {
		t.Errorf("%d blocks are live in the I/O arena, that of the result expected", held)
	}
	results[0].Release()
	if live := session.IOArena().Stats().LiveBlocks + session.ExecutionArena().Stats().LiveBlocks; live != 0 {
		t.Errorf("%d blocks are live after the result was released", live)
	}
	_, err = goruntime.Parse([]byte("no model"), "", goruntime.Options{})
	want(t, err, errs.Model, "model at byte 0")
}

func TestElementsThatCannotBeRead(t *testing.T) {
	testkit.NoLeaks(t)
	session := open(t, "chain")
	defer session.Close()
	results, err := session.Run(context.Background(), map[string]tensor.View{"x": of(t, []float32{1, 2, 3}, 3)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = goruntime.Elements[int64](results[0])
	want(t, err, errs.Type, "the elements are f32, i64 asked for")
	results[0].Release()
	results[0].Release()
	_, err = goruntime.Elements[float32](results[0])
	want(t, err, errs.Released, "the tensor f32[3] was released: read it before, or copy its elements")
}

// A run ends with its context, also one that ended before it, and says so as contexts do.
func TestARunEndsWithItsContext(t *testing.T) {
	testkit.NoLeaks(t)
	session := open(t, "slow")
	defer session.Close()
	feeds := map[string]tensor.View{"v0": of(t, make([]float32, 4096*256), 4096, 256)}
	for _, c := range []struct {
		name  string
		begin func(context.Context) (context.Context, context.CancelFunc)
		code  errs.Code
		text  string
		cause error
	}{
		{"before", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel
		}, errs.Canceled, "the run was canceled", context.Canceled},
		{"late", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithDeadline(ctx, time.Unix(1, 0))
		}, errs.Timeout, "the run's time limit passed", context.DeadlineExceeded},
		{"a time limit", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Millisecond)
		}, errs.Timeout, "the run's time limit passed", context.DeadlineExceeded},
		{"meanwhile", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Millisecond, cancel)
			return ctx, cancel
		}, errs.Canceled, "the run was canceled", context.Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := c.begin(context.Background())
			defer cancel()
			_, err := session.Run(ctx, feeds)
			want(t, err, c.code, c.text)
			if !errors.Is(err, c.cause) {
				t.Errorf("%v does not wrap %v", err, c.cause)
			}
		})
	}
}

func TestFeedsThatDoNotFit(t *testing.T) {
	testkit.NoLeaks(t)
	session := open(t, "add")
	defer session.Close()
	x := of(t, []float32{1, 2, 3}, 3)
	for _, c := range []struct {
		name  string
		feeds map[string]tensor.View
		code  errs.Code
		text  string
	}{
		{"a name that is not there", map[string]tensor.View{"a": x, "b": x, "bb": x}, errs.Name, `"bb": no input of this name; the nearest are "b", "a"`},
		{"one left out", map[string]tensor.View{"a": x}, errs.Name, `"b": the input is required and was not fed`},
		{"another type", map[string]tensor.View{"a": x, "b": of(t, []string{"1"}, 1)}, errs.Type, `"b": str given, f32 expected`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := session.Run(context.Background(), c.feeds)
			want(t, err, c.code, c.text)
		})
	}
}
