package main

import (
	"strings"
	"testing"
)

func TestAWrongCommandLineSaysHowItIsRight(t *testing.T) {
	for line, want := range map[string]string{
		"serve":                  "received 0: goruntime serve MODEL_DIR [flags] expected; goruntime serve --help tells of the flags",
		"serve a b":              "received 2: goruntime serve MODEL_DIR",
		"serve a --drain soon":   `invalid duration "soon": goruntime serve MODEL_DIR`,
		"serve a --drian 3s":     "unknown flag: --drian: goruntime serve MODEL_DIR",
		"manifest":               "received 0: goruntime manifest MODEL.onnx [flags] expected",
		"bench-serve 127.0.0.1:": "received 1: goruntime bench-serve ADDRESS MODEL [VERSION] [flags] expected",
		"serv":                   `unknown command "serv" for "goruntime"`,
	} {
		c := command()
		c.SetArgs(strings.Fields(line))
		if err := c.Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %q expected", line, err, want)
		}
	}
}
