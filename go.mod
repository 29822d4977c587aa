module github.com/goruntime/goruntime

go 1.27.3
