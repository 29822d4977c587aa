module github.com/goruntime/goruntime

go 1.27.3

require (
	github.com/apache/arrow-go/v18 v18.8.0
	golang.org/x/sys v0.47.0
	google.golang.org/protobuf v1.36.12
	pgregory.net/rapid v1.2.0
)

require (
	github.com/goccy/go-json v0.10.6 // indirect
	github.com/google/flatbuffers v25.12.19+incompatible // indirect
	github.com/klauspost/cpuid/v2 v2.4.0 // indirect
	github.com/zeebo/xxh3 v1.1.0 // indirect
	golang.org/x/exp v0.0.0-20260112195511-716be5621a96 // indirect
)
