package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

const prefix = "pyapi_"

// goGlue returns the exports of pyapi's functions from gopy's Go file.
func goGlue(src string) (string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "control.go", src, parser.ParseComments)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(header + "package main\n\n// #include <Python.h>\n// #include <stdlib.h>\nimport \"C\"\n\nimport (\n\t\"unsafe\"\n\n\t\"" + pkg + "\"\n)\n")
	var exports []string // sorted: gopy's order is that of a Go map
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(fn.Name.Name, prefix) {
			continue
		}
		text := src[fset.Position(fn.Pos()).Offset:fset.Position(fn.End()).Offset]
		exports = append(exports, fmt.Sprintf("\n//export %s\n%s\n", fn.Name.Name, text))
	}
	if len(exports) == 0 {
		return "", fmt.Errorf("gopy wrapped no function of %s", pkg)
	}
	slices.Sort(exports)
	out, err := format.Source([]byte(b.String() + strings.Join(exports, "")))
	return string(out), err
}

// recipe returns gopy's pybindgen script with pyapi's functions only.
func recipe(src string) (string, error) {
	var b strings.Builder
	var functions []string
	for line := range strings.Lines(src) {
		switch {
		case strings.HasPrefix(line, "mod.add_function("):
			continue
		case strings.HasPrefix(line, "mod.generate("):
			slices.Sort(functions)
			line = strings.Join(functions, "") + line
		case strings.HasPrefix(line, "mod.add_include("):
			line = "mod.add_include('\"_cgo_export.h\"')\n"
		case strings.HasPrefix(line, "add_checked"):
			if strings.Contains(line, "'"+prefix) {
				functions = append(functions, line)
			}
			continue
		}
		b.WriteString(line)
	}
	return b.String(), nil
}

// cGlue returns pybindgen's C file as a part of our package.
func cGlue(src string) (string, error) {
	quiet := "#pragma GCC diagnostic ignored \"-Wcast-function-type\"\n"
	static := strings.ReplaceAll(src, "\nPyObject *\n_wrap_", "\nstatic PyObject *\n_wrap_")
	var b strings.Builder
	for line := range strings.Lines(static) {
		if strings.HasPrefix(line, "PyObject * _wrap_") { // a declaration after the definition
			continue
		}
		b.WriteString(strings.TrimRight(line, " \t\n") + "\n")
	}
	return header + quiet + b.String(), nil
}
