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
func Pair(name, assembly, declarations string) {
	formatted, err := format.Source([]byte(declarations))
	if err == nil {
		err = write(name+"_amd64.go", formatted)
	}
	if err == nil {
		err = write(name+"_amd64.s", []byte(assembly))
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
