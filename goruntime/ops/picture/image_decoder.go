package picture

import (
	"github.com/goruntime/goruntime/goruntime/errs"
	"github.com/goruntime/goruntime/goruntime/op"
	"github.com/goruntime/goruntime/goruntime/tensor"
)

// ImageDecoder reads an image file: [H, W, C] numbers of a byte. A file that is none of
// an image, is broken or claims more than 2^28 pixels, or more than its library decodes
// in 4 GB, gives [0, 0, C]. Of more than eight bits a channel the upper eight are taken;
// transparency is left out. Before a file is decoded the arenas are asked for the image and
// for as much as decoding may take, which the library then takes elsewhere.
// https://onnx.ai/onnx/operators/onnx__ImageDecoder.html   Departures: the exact pixels
// of lossy files are left to the decoder; ours lie within a step or two of the
// reference decoders'. Not read are lossless JPEG, progressive JPEG with restarts and
// subsampled chroma, animations, BMP of 16 bits or run lengths, and TIFF of CMYK, YCbCr,
// floats or gray with alpha, or compressed as JPEG or Zstandard.
var ImageDecoder = op.Declare("", "ImageDecoder", func() op.Def {
	return op.Def{
		Versions: op.Versions{20: ""}, Attrs: op.Attrs(op.String("pixel_format", "RGB")),
		Computes: true,
		Prepare: func(c *op.Context) error {
			name := c.Attr.Str("pixel_format")
			l, known := layouts[name]
			if !known {
				return errs.New(errs.Argument, "pixel_format is %q, \"RGB\", \"BGR\" or \"Grayscale\" expected", name)
			}
			if in := c.In(0); len(in.Shape) != 1 {
				return errs.New(errs.Shape, "the encoded stream has the shape %v, one dimension expected", in.Shape)
			}
			c.State = &decoding{layout: l}
			return nil
		},
		Run: func(c *op.Context) error {
			d := c.State.(*decoding)
			f, broken := open(tensor.Elems[uint8](c.In(0)))
			if broken == nil {
				d.shape = [3]int{f.height, f.width, d.layout.channels}
				y, err := c.MakeOutputTensor(0, tensor.U8, d.shape[:])
				if err == nil {
					_, err = c.MakeTemporaryTensor(tensor.U8, tensor.Shape{f.memory()})
				}
				if err != nil {
					return err
				}
				d.out = tensor.Elems[uint8](y)
				d.img, broken = f.pixels()
			}
			if broken != nil { // as the specification has it; what was wrong is not told
				_, err := c.MakeOutputTensor(0, tensor.U8, tensor.Shape{0, 0, d.layout.channels})
				return err
			}
			c.For(d.shape[0], 16, d)
			d.img, d.out = nil, nil
			return nil
		},
		DTypes: op.Uniform(struct{}{}, tensor.U8),
	}
})

// layout is how the channels of a pixel lie.
type layout struct {
	channels int
	arrange  func(dst, rgb []byte)
}

var layouts = map[string]layout{
	"RGB": {3, func(dst, rgb []byte) { copy(dst, rgb) }},
	"BGR": {3, func(dst, rgb []byte) { spread(dst, rgb, 3, 2, 1, 0) }},
	// ITU-R BT.601, rounded.
	"Grayscale": {1, func(dst, rgb []byte) {
		for x := range dst {
			dst[x] = byte((19595*int32(rgb[3*x]) + 38470*int32(rgb[3*x+1]) + 7471*int32(rgb[3*x+2]) + 1<<15) >> 16)
		}
	}},
}

// decoding is the State.
type decoding struct {
	layout
	img   pixels
	shape [3]int
	out   []byte
}

// Chunk implements op.Task over the rows.
func (d *decoding) Chunk(lo, hi int) {
	rgb, n := make([]byte, 3*d.shape[1]), d.shape[1]*d.channels
	for y := lo; y < hi; y++ {
		d.img(y, rgb)
		d.arrange(d.out[y*n:(y+1)*n], rgb)
	}
}
