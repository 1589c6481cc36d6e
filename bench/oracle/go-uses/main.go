// Says of every name in a Go repository which definition it uses, as go/types understands it, in one JSON document.
// Usage: go-uses ROOT LIBRARIES. LIBRARIES is a folder of sources by import path, for what is neither Go's own nor ROOT's.
// A package with an error (mostly: a module that is not there) is not judged, and said to be so.
package main

import (
	"encoding/json"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

type use struct {
	Path    string `json:"path"`
	Offset  int    `json:"offset"`
	Kind    string `json:"kind"`
	Of      string `json:"of"`
	OfPlace int    `json:"ofOffset"`
}

type answer struct {
	Files    []string          `json:"files"`
	Packages int               `json:"packages"`
	Skipped  map[string]string `json:"skipped"`
	Uses     []use             `json:"uses"`
	Defs     []use             `json:"definitions"`
}

type module struct{ prefix, dir string }

type loader struct {
	root, libraries string
	modules         []module
	context         build.Context
	fset            *token.FileSet
	known           map[string]*types.Package
	answer          answer
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	context := build.Default
	context.CgoEnabled = false
	l := &loader{root: root, libraries: os.Args[2], context: context, fset: token.NewFileSet(),
		known: map[string]*types.Package{"unsafe": types.Unsafe}, answer: answer{Files: []string{}, Skipped: map[string]string{}}}
	l.modules = modulesIn(root)
	for _, dir := range folders(root) {
		l.judge(dir)
	}
	json.NewEncoder(os.Stdout).Encode(l.answer)
}

func folders(root string) (found []string) {
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil
		}
		name := entry.Name()
		if path != root && (name[0] == '.' || name[0] == '_' || name == "testdata" || name == "vendor") {
			return filepath.SkipDir
		}
		found = append(found, path)
		return nil
	})
	return found
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

func modulesIn(root string) (found []module) {
	for _, dir := range folders(root) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if line := moduleLine.FindSubmatch(text); err == nil && line != nil {
			found = append([]module{{string(line[1]), dir}}, found...)
		}
	}
	return found
}

// judge checks the package of a folder with its tests, then the tests that stand outside of it.
func (l *loader) judge(dir string) {
	pkg, err := l.context.ImportDir(dir, 0)
	if _, none := err.(*build.NoGoError); none {
		return
	}
	if err != nil {
		l.skip(dir, err.Error())
		return
	}
	path := l.pathOf(dir)
	tested := l.check(dir, path, append(append([]string{}, pkg.GoFiles...), pkg.TestGoFiles...), nil)
	if tested != nil && len(pkg.XTestGoFiles) > 0 {
		l.check(dir, path+"_test", pkg.XTestGoFiles, map[string]*types.Package{path: tested})
	}
}

func (l *loader) pathOf(dir string) string {
	for _, it := range l.modules {
		if dir == it.dir || strings.HasPrefix(dir, it.dir+"/") {
			return strings.TrimSuffix(it.prefix+"/"+strings.TrimPrefix(strings.TrimPrefix(dir, it.dir), "/"), "/")
		}
	}
	return dir
}

func (l *loader) skip(dir, why string) {
	name, _ := filepath.Rel(l.root, dir)
	if _, known := l.answer.Skipped[name]; !known {
		l.answer.Skipped[name] = why
	}
}

// check returns nil when the package has errors; then nothing of it is judged.
func (l *loader) check(dir, path string, names []string, instead map[string]*types.Package) *types.Package {
	files := l.parse(dir, names)
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	var first error
	config := types.Config{Importer: importer{l, instead}, Error: func(err error) {
		if soft, ok := err.(types.Error); first == nil && !(ok && soft.Soft) {
			first = err
		}
	}}
	pkg, _ := config.Check(path, l.fset, files, info)
	if first != nil {
		l.skip(dir, first.Error())
		return nil
	}
	l.answer.Packages++
	for _, file := range files {
		name, _ := l.place(file.Package)
		l.answer.Files = append(l.answer.Files, name)
		l.note(file, info)
	}
	return pkg
}

func (l *loader) parse(dir string, names []string) (files []*ast.File) {
	for _, name := range names {
		if file, err := parser.ParseFile(l.fset, filepath.Join(dir, name), nil, 0); err == nil {
			files = append(files, file)
		}
	}
	return files
}

func (l *loader) note(file *ast.File, info *types.Info) {
	var above []ast.Node
	ast.Inspect(file, func(node ast.Node) bool {
		if node == nil {
			above = above[:len(above)-1]
			return true
		}
		if name, ok := node.(*ast.Ident); ok {
			path, offset := l.place(name.Pos())
			if object := info.Uses[name]; object != nil && object.Pos().IsValid() {
				if of, place := l.place(object.Pos()); of != "" {
					l.answer.Uses = append(l.answer.Uses, use{path, offset, kindOf(name, above), of, place})
				}
			}
			if object := info.Defs[name]; object != nil {
				l.answer.Defs = append(l.answer.Defs, use{Path: path, Offset: offset})
			}
		}
		above = append(above, node)
		return true
	})
}

// place is a path in the repository with an offset in bytes; "" for what lies elsewhere.
func (l *loader) place(at token.Pos) (string, int) {
	position := l.fset.Position(at)
	path, err := filepath.Rel(l.root, position.Filename)
	if err != nil || strings.HasPrefix(path, "..") {
		return "", 0
	}
	return path, position.Offset
}

func kindOf(name *ast.Ident, above []ast.Node) string {
	parent := above[len(above)-1]
	var whole ast.Node = name
	member := false
	if it, ok := parent.(*ast.SelectorExpr); ok && it.Sel == name {
		member, whole, above = true, it, above[:len(above)-1]
		parent = above[len(above)-1]
	}
	if it, ok := parent.(*ast.KeyValueExpr); ok && it.Key == whole {
		return "key"
	}
	if it, ok := parent.(*ast.Field); ok && len(it.Names) == 0 && len(above) > 2 {
		if _, ok := above[len(above)-3].(*ast.StructType); ok {
			return "heritage"
		}
	}
	call, ok := parent.(*ast.CallExpr)
	called := ok && call.Fun == whole
	switch {
	case member && called:
		return "member call"
	case member:
		return "member"
	case called:
		return "call"
	}
	return "reference"
}

// importer reads what a package imports from its sources: declarations only.
type importer struct {
	*loader
	instead map[string]*types.Package
}

func (it importer) Import(path string) (*types.Package, error) {
	if pkg := it.instead[path]; pkg != nil {
		return pkg, nil
	}
	if pkg := it.known[path]; pkg != nil {
		return pkg, nil
	}
	pkg, err := it.context.ImportDir(it.dirOf(path), 0)
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: importer{it.loader, nil}, IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}}
	checked, _ := config.Check(path, it.fset, it.parse(pkg.Dir, pkg.GoFiles), nil)
	it.known[path] = checked
	return checked, nil
}

func (l *loader) dirOf(path string) string {
	for _, it := range l.modules {
		if path == it.prefix || strings.HasPrefix(path, it.prefix+"/") {
			return filepath.Join(it.dir, strings.TrimPrefix(path, it.prefix))
		}
	}
	own := filepath.Join(runtime.GOROOT(), "src")
	for _, dir := range []string{filepath.Join(own, path), filepath.Join(l.libraries, path)} {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	return filepath.Join(own, "vendor", path)
}
