//go:build !amd64 || portable || race

package cast

import "github.com/goruntime/goruntime/goruntime/kernels/cpu"

func chosen() *variant { return nil }

func variantOf(cpu.Level) *variant { return nil }
