package flight

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// stamp tells one content of a file from another: what is written, put in its place, or
// restored with its old time has another one. That of no file is the zero stamp.
type stamp struct {
	device, inode uint64
	size          int64
	changed       unix.Timespec // of the file or of what the system knows of it
}

// stampOf returns the stamp of a file, of what it leads to where it is a link.
func stampOf(path string) stamp {
	var s unix.Stat_t
	if unix.Stat(path, &s) != nil {
		return stamp{}
	}
	return stamp{s.Dev, s.Ino, s.Size, s.Ctim}
}

// folderOf describes what lies in the folder of a file.
func folderOf(path string) string {
	dir := filepath.Dir(path)
	list, err := os.ReadDir(dir)
	if err != nil {
		return err.Error()
	}
	var all strings.Builder
	for _, e := range list {
		fmt.Fprintln(&all, e.Name(), stampOf(filepath.Join(dir, e.Name())))
	}
	return all.String()
}
