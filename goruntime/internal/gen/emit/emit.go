// Package emit writes what the generators of kernels make.
package emit

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
)

// Pair writes NAME_amd64.s and, formatted, NAME_amd64.go, which declares what is in it, to
// the folder that the command's argument names. What fails ends the command.
func Pair(name, assembly, declarations string) { For("amd64", name, assembly, declarations) }

// For is Pair for another architecture.
func For(arch, name, assembly, declarations string) {
	name += "_" + arch
	formatted, err := format.Source([]byte(declarations))
	if err == nil {
		err = write(name+".go", formatted)
	}
	if err == nil {
		err = write(name+".s", []byte(assembly))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

func write(name string, text []byte) error {
	if len(os.Args) != 2 {
		return fmt.Errorf("%d arguments given: the folder to write to expected", len(os.Args)-1)
	}
	return os.WriteFile(filepath.Join(os.Args[1], name), text, 0o644)
}
