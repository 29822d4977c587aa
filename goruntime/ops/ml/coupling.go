package ml

import "math"

// couple gives the probabilities of the classes from the scores of the pairs:
// T. Wu, C. Lin, R. Weng, "Probability Estimates for Multi-class Classification by
// Pairwise Coupling", 2004, the second method, with the stopping rule of LIBSVM.
// Scratch has 3 * classes * classes numbers.
func (f *svmClassifier) couple(scores, scratch []float64, out []float32) {
	k := f.classes
	r, q, rest := scratch[:k*k], scratch[k*k:2*k*k], scratch[2*k*k:]
	p, qp := rest[:k], rest[k:2*k]
	pair := 0
	for i := range k {
		for j := i + 1; j < k; j++ {
			x := likelihood(scores[pair], float64(f.a[pair]), float64(f.b[pair]))
			r[i*k+j], r[j*k+i] = x, 1-x
			pair++
		}
	}
	quadratic(k, r, q)
	for i := range p {
		p[i] = 1 / float64(k)
	}
	for range max(100, k) {
		if improve(k, q, p, qp) {
			break
		}
	}
	for i, x := range p {
		out[i] = float32(x)
	}
}

// likelihood is 1 / (1 + exp(a*score + b)), kept off 0 and 1.
func likelihood(score, a, b float64) float64 {
	const least = 1e-7
	x := score*a + b
	v := 1 / (1 + math.Exp(-math.Abs(x)))
	if x > 0 {
		v = 1 - v
	}
	return min(max(v, least), 1-least)
}

// quadratic sets the matrix of the form that the probabilities minimize.
func quadratic(k int, r, q []float64) {
	for i := range k {
		q[i*k+i] = 0
		for j := range k {
			if j != i {
				q[i*k+i] += r[j*k+i] * r[j*k+i]
				q[i*k+j] = -r[j*k+i] * r[i*k+j]
			}
		}
	}
}

// improve makes one round over the classes and reports whether p was good before.
func improve(k int, q, p, qp []float64) bool {
	total := 0.0
	for i := range k {
		qp[i] = 0
		for j := range k {
			qp[i] += q[i*k+j] * p[j]
		}
		total += p[i] * qp[i]
	}
	worst := 0.0
	for i := range k {
		worst = max(worst, math.Abs(qp[i]-total))
	}
	if worst < 0.005/float64(k) {
		return true
	}
	for i := range k {
		d := (total - qp[i]) / q[i*k+i]
		p[i] += d
		total = (total + d*(d*q[i*k+i]+2*qp[i])) / (1 + d) / (1 + d)
		for j := range k {
			qp[j] = (qp[j] + d*q[i*k+j]) / (1 + d)
			p[j] /= 1 + d
		}
	}
	return false
}
