// Package ops links every operator into the program: importing it registers
// them. It holds no code; an operator is one file of its family's package.
package ops

import (
	// The families, each registering its operators.
	_ "github.com/goruntime/goruntime/goruntime/ops/attention"
	_ "github.com/goruntime/goruntime/goruntime/ops/control"
	_ "github.com/goruntime/goruntime/goruntime/ops/elementwise"
	_ "github.com/goruntime/goruntime/goruntime/ops/index"
	_ "github.com/goruntime/goruntime/goruntime/ops/linalg"
	_ "github.com/goruntime/goruntime/goruntime/ops/microsoft"
	_ "github.com/goruntime/goruntime/goruntime/ops/ml"
	_ "github.com/goruntime/goruntime/goruntime/ops/nn"
	_ "github.com/goruntime/goruntime/goruntime/ops/picture"
	_ "github.com/goruntime/goruntime/goruntime/ops/quant"
	_ "github.com/goruntime/goruntime/goruntime/ops/random"
	_ "github.com/goruntime/goruntime/goruntime/ops/reduce"
	_ "github.com/goruntime/goruntime/goruntime/ops/sequence"
	_ "github.com/goruntime/goruntime/goruntime/ops/shape"
	_ "github.com/goruntime/goruntime/goruntime/ops/signal"
	_ "github.com/goruntime/goruntime/goruntime/ops/text"
	_ "github.com/goruntime/goruntime/goruntime/ops/training"
)
