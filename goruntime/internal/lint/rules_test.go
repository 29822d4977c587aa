package lint

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

func TestCgoIsInCapiAlone(t *testing.T) {
	for _, f := range files(t) {
		if line, ok := f.imports("C"); ok && !f.in("capi", "ortengine") {
			t.Errorf(`%s:%d: import "C" belongs in capi, so that the core cross-builds without a C compiler`, f.path, line)
		}
	}
}

func TestUnsafeIsWhereMemoryIs(t *testing.T) {
	for _, f := range files(t) {
		line, ok := f.imports("unsafe")
		if !ok || f.build || f.in("tensor", "own", "arena", "lease", "pool", "mapped", "offheap", "kernels", "arrowio", "ortengine", "capi") {
			continue
		}
		if !slices.ContainsFunc(f.text, func(l string) bool {
			return strings.Contains(l, "lint:allow unsafe ") || strings.Contains(l, "// SAFETY:")
		}) {
			t.Errorf("%s:%d: unsafe is for the packages that own memory: use tensor.View, or say why with //lint:allow unsafe REASON", f.path, line)
		}
	}
}

// Each expression that leaves the type system says what makes it sound.
func TestUnsafeSaysWhyItIsSound(t *testing.T) {
	for _, f := range files(t) {
		if _, ok := f.imports("unsafe"); !ok || f.build || f.in("capi") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			fn, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Slice", "String", "Add"}, fn.Sel.Name) {
				return true
			}
			if p, ok := fn.X.(*ast.Ident); !ok || p.Name != "unsafe" {
				return true
			}
			line := f.line(call.Pos())
			for i := max(0, line-8); i < line; i++ {
				if strings.Contains(f.text[i], "SAFETY:") || strings.Contains(f.text[i], "lint:allow unsafe ") {
					return true
				}
			}
			t.Errorf("%s:%d: unsafe.%s needs `// SAFETY:` with the fact that makes it sound on the lines above", f.path, line, fn.Sel.Name)
			return true
		})
	}
}

func TestPackagesHaveNamesThatSayWhatTheyAre(t *testing.T) {
	for _, f := range files(t) {
		if slices.Contains([]string{"util", "utils", "common", "helpers", "manager", "misc"}, f.ast.Name.Name) {
			t.Errorf("%s: a package called %s says nothing: name it after what it holds", f.path, f.ast.Name.Name)
		}
	}
}

// An operator's table is its dispatch: a switch over element types hides what is there.
func TestOperatorsDoNotSwitchOverElementTypes(t *testing.T) {
	for _, f := range files(t) {
		if !f.in("ops") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			s, ok := n.(*ast.SwitchStmt)
			if !ok || s.Tag == nil {
				return true
			}
			if tag, ok := s.Tag.(*ast.SelectorExpr); ok && tag.Sel.Name == "DType" && !f.allowed("switch", f.line(s.Pos())) {
				t.Errorf("%s:%d: a switch over an element type: make it rows of a table (op.ByType, or a map of functions)", f.path, f.line(s.Pos()))
			}
			return true
		})
	}
}

// What cannot happen goes through invariants.Bug; what can is an error.
func TestPanicsAreAllowedByName(t *testing.T) {
	for _, f := range files(t) {
		if f.build || f.in("internal/gen") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if fn, ok := call.Fun.(*ast.Ident); ok && fn.Name == "panic" && !f.allowed("panic", f.line(call.Pos())) && !f.in("capi") {
				t.Errorf("%s:%d: return an error, or call invariants.Bug for what cannot happen", f.path, f.line(call.Pos()))
			}
			return true
		})
	}
}

func TestCleanupsAreInOwnAlone(t *testing.T) {
	for _, f := range files(t) {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"SetFinalizer", "AddCleanup"}, s.Sel.Name) {
				return true
			}
			if p, ok := s.X.(*ast.Ident); ok && p.Name == "runtime" && !f.in("own", "flight") {
				t.Errorf("%s:%d: nothing is freed by the collector: give it a Close, and own.Over reports who forgot it", f.path, f.line(s.Pos()))
			}
			return true
		})
	}
}

func TestInitFunctionsAreAllowedByName(t *testing.T) {
	for _, f := range files(t) {
		if f.build || f.in("capi", "internal/gen") {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" && !f.allowed("init", f.line(fn.Pos())) {
				t.Errorf("%s:%d: an init function: use a composite literal, or say why with //lint:allow init REASON", f.path, f.line(fn.Pos()))
			}
		}
	}
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	docs := map[string]bool{}
	for _, f := range files(t) {
		docs[f.pkg] = docs[f.pkg] || f.ast.Doc != nil
		if f.build || f.in("capi", "internal", "cmd") {
			continue
		}
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && receiverExported(d) && d.Name.Name != "Error" && d.Name.Name != "Unwrap" {
					t.Errorf("%s:%d: %s is exported and has no doc comment", f.path, f.line(d.Pos()), d.Name.Name)
				}
			case *ast.GenDecl:
				f.undocumented(t, d)
			}
		}
	}
	for pkg, ok := range docs {
		if !ok {
			t.Errorf("%s: the package has no doc comment: what it is, what it is not, its invariants", pkg)
		}
	}
}

// A comment that was moved, or kept when its function was renamed, begins with another name.
func TestCommentsOfFunctionsBeginWithTheirNames(t *testing.T) {
	for _, f := range files(t) {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Doc == nil || strings.HasSuffix(f.path, "_test.go") && strings.HasPrefix(fn.Name.Name, "Test") {
				continue
			}
			first, _, _ := strings.Cut(fn.Doc.Text(), " ")
			switch strings.TrimRight(first, ",:\n") {
			case fn.Name.Name, "The", "A", "An", "SAFETY", "":
			default:
				t.Errorf("%s:%d: the comment of %s begins with %q: begin with its name", f.path, f.line(fn.Pos()), fn.Name.Name, first)
			}
		}
	}
}

func receiverExported(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	x := d.Recv.List[0].Type
	for {
		switch v := x.(type) {
		case *ast.StarExpr:
			x = v.X
		case *ast.IndexExpr:
			x = v.X
		case *ast.Ident:
			return v.IsExported()
		default:
			return false
		}
	}
}

// undocumented reports the exported names of a declaration without a comment of their
// own or of the group's.
func (f *file) undocumented(t *testing.T, d *ast.GenDecl) {
	t.Helper()
	if d.Tok == token.IMPORT || d.Doc != nil {
		return
	}
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil {
				t.Errorf("%s:%d: %s is exported and has no doc comment", f.path, f.line(s.Pos()), s.Name.Name)
			}
		case *ast.ValueSpec:
			if s.Names[0].IsExported() && s.Doc == nil && s.Comment == nil {
				t.Errorf("%s:%d: %s is exported and has no doc comment", f.path, f.line(s.Pos()), s.Names[0].Name)
			}
		}
	}
}

// Imports point one way: operators never see what runs them, the plan no memory.
func TestImportsPointOneWay(t *testing.T) {
	const module = "github.com/goruntime/goruntime/goruntime/"
	forbidden := map[string][]string{
		"ops": {"exec", "graph", "plan", "flight", "pyapi"}, "plan": {"arena", "tensor", "exec", "graph", "op"}, "op": {"exec", "graph", "plan", "ops"},
		"tensor": {"op", "ops", "arena", "exec"}, "onnx": {"op", "ops", "exec", "graph"}, "kernels": {"op", "ops", "exec", "graph", "arena"}, "arena": {"exec", "op", "ops"},
	}
	for _, f := range files(t) {
		for from, list := range forbidden {
			if !f.in(from) {
				continue
			}
			for _, to := range list {
				if line, ok := f.imports(module + to); ok {
					t.Errorf("%s:%d: package %s may not import %s", f.path, line, path.Base(f.pkg), to)
				}
			}
		}
	}
}

func TestNothingIsLeftForLater(t *testing.T) {
	for _, f := range files(t) {
		for i, l := range f.text {
			for _, word := range []string{"TODO", "FIXME", "XXX", "HACK"} {
				if strings.Contains(l, word) && strings.Contains(l, "//") {
					t.Errorf("%s:%d: %s: do it, or write an issue", f.path, i+1, word)
				}
			}
		}
	}
}
