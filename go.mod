module github.com/goruntime/goruntime

go 1.27.3

require (
	golang.org/x/sys v0.38.0 // indirect
	google.golang.org/protobuf v1.36.10 // indirect
	pgregory.net/rapid v1.2.0
)
