package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// file is one Go source file of the repository, tests excluded.
type file struct {
	path  string // from the root, with slashes
	pkg   string // the folder
	text  []string
	set   *token.FileSet
	ast   *ast.File
	build bool // generated
}

// files parses the sources of goruntime and capi.
func files(t *testing.T) []*file {
	t.Helper()
	var list []*file
	for _, top := range []string{"goruntime", "capi"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			set := token.NewFileSet()
			tree, err := parser.ParseFile(set, path, text, parser.ParseComments)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(root, path)
			rel = filepath.ToSlash(rel)
			list = append(list, &file{
				path: rel, pkg: rel[:strings.LastIndex(rel, "/")], text: strings.Split(string(text), "\n"),
				set: set, ast: tree, build: ast.IsGenerated(tree),
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(list) < 200 {
		t.Fatalf("only %d files were found", len(list))
	}
	return list
}

// line returns the line of a position, from 1.
func (f *file) line(p token.Pos) int { return f.set.Position(p).Line }

// allowed reports whether one of the four lines up to a line allows a rule, or the
// line itself does.
func (f *file) allowed(rule string, line int) bool {
	for i := max(0, line-5); i < line; i++ {
		if strings.Contains(f.text[i], "//lint:allow "+rule+" ") {
			return true
		}
	}
	return false
}

// imports reports whether a file imports a package, and where.
func (f *file) imports(path string) (int, bool) {
	for _, i := range f.ast.Imports {
		if i.Path.Value == `"`+path+`"` {
			return f.line(i.Pos()), true
		}
	}
	return 0, false
}

// in reports whether the file lies in one of the packages of goruntime, or under one.
func (f *file) in(packages ...string) bool {
	return slices.ContainsFunc(packages, func(p string) bool {
		full := "goruntime/" + p
		if p == "capi" {
			full = p
		}
		return f.pkg == full || strings.HasPrefix(f.pkg, full+"/")
	})
}
