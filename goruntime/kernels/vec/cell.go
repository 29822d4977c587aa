package vec

// LSTMCell is one step of an LSTM with the default activations: gates [4*H] in
// the order input, output, forget, cell are overwritten; hid and cell [H] become
// the new state.
func LSTMCell(gates, hid, cell []float32) {
	h := len(hid)
	in, out, forget, next := gates[:h], gates[h:2*h], gates[2*h:3*h], gates[3*h:4*h]
	Apply(Logistic, gates[:3*h], gates[:3*h])
	Apply(HyperbolicTangent, next, next)
	Combine(Times, cell, forget, cell)
	Combine(Times, next, in, next)
	Combine(Plus, cell, cell, next)
	Apply(HyperbolicTangent, hid, cell)
	Combine(Times, hid, out, hid)
}
