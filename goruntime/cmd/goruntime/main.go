// Command goruntime serves models by Arrow Flight, scores files, and writes manifests.
//
// It is one binary without Python; `pip install goruntime[serve]` brings it too.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	_ "github.com/goruntime/goruntime/goruntime/ops" // all operators
)

// version is set by the linker where the package for Python is built.
var version = "built from the sources"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // who interrupts again does not want to wait
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "goruntime:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use: "goruntime", Short: "Score ONNX models on Arrow data", Version: version, SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.AddCommand(serveCommand(), benchCommand(), manifestCommand())
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usage(c, err) })
	for _, c := range root.Commands() {
		check := c.Args
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usage(c, err)
			}
			return nil
		}
	}
	return root
}

// usage adds to what is wrong with a command line how it is right.
func usage(c *cobra.Command, err error) error {
	return fmt.Errorf("%w: %s expected; %s --help tells of the flags", err, c.UseLine(), c.CommandPath())
}
