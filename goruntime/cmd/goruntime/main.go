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
	root := &cobra.Command{
		Use: "goruntime", Short: "Score ONNX models on Arrow data", Version: version, SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.AddCommand(serveCommand(), benchCommand(), manifestCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "goruntime:", err)
		os.Exit(1)
	}
}
