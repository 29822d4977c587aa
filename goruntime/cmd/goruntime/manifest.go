package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/goruntime/goruntime/goruntime/arrowio"
	"github.com/goruntime/goruntime/goruntime/exec"
	"github.com/goruntime/goruntime/goruntime/onnx"
)

func manifestCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "manifest MODEL.onnx",
		Short: "Write the manifest of a model beside it, to be edited",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			path := strings.TrimSuffix(args[0], ".onnx") + ".manifest.json"
			if _, err := os.Stat(path); err == nil && !force {
				return fmt.Errorf("%s is there already: --force replaces it", path)
			}
			m, err := manifestOf(args[0])
			if err != nil {
				return err
			}
			if err := m.Write(path); err != nil {
				return err
			}
			fmt.Println(path)
			return nil
		},
	}
	c.Flags().BoolVar(&force, "force", false, "replace a manifest that is there")
	return c
}

// manifestOf returns the manifest that says what happens without one. A matrix is fed by a
// column of lists, or by columns of numbers, which are to be named. For an output that is
// no column, as classifiers have it, the tensor is returned that it is made of.
func manifestOf(path string) (*arrowio.Manifest, error) {
	model, err := onnx.Open(path)
	if err != nil {
		return nil, err
	}
	sum, weights := arrowio.Sums(model)
	s, err := exec.New(model, exec.Options{})
	if err != nil {
		model.Close()
		return nil, err
	}
	defer s.Close()
	m := &arrowio.Manifest{Schema: arrowio.Declare(s), Checksum: sum, Weights: weights, Inputs: map[string]arrowio.InputRule{}}
	for _, in := range s.Inputs() {
		if _, ok := arrowio.FieldOf(in); ok && !in.Optional {
			rule := arrowio.InputRule{Columns: []string{in.Name}}
			if len(in.Type.Dims) == 2 {
				rule.Columns = nil
			}
			m.Inputs[in.Name] = rule
		}
	}
	for _, out := range s.Outputs() {
		rule := arrowio.OutputRule{Value: out.Name}
		if out.Type != nil && (out.Type.Kind == onnx.KindSequence || out.Type.Kind == onnx.KindMap) {
			if before := arrowio.Before(s, out.Name); len(before) == 1 {
				rule = arrowio.OutputRule{Value: before[0], Column: out.Name}
			}
		}
		m.Outputs = append(m.Outputs, rule)
	}
	return m, nil
}
