package onnx

import "slices"

func (d *decoder) model(m span, v *Model) *fault {
	return d.each(m, func(f field) *fault {
		switch f.tag {
		case 1<<3 | varint:
			v.IRVersion = int64(f.n)
		case 2<<3 | delimited:
			v.ProducerName = d.text(f.span)
		case 3<<3 | delimited:
			v.ProducerVersion = d.text(f.span)
		case 4<<3 | delimited:
			v.Domain = d.text(f.span)
		case 5<<3 | varint:
			v.ModelVersion = int64(f.n)
		case 6<<3 | delimited:
			v.Doc = d.text(f.span)
		case 7<<3 | delimited:
			return d.graph(f.span, one(&v.Graph)).in("graph")
		case 8<<3 | delimited:
			i := len(v.Opsets)
			return d.opset(f.span, &v.Opsets).item("opset_import", i)
		case 14<<3 | delimited:
			i := len(v.Metadata)
			return d.keyValue(f.span, &v.Metadata).item("metadata_props", i)
		case 25<<3 | delimited:
			v.Functions = append(v.Functions, &Function{})
			return d.function(f.span, v.Functions[len(v.Functions)-1]).item("functions", len(v.Functions)-1)
		}
		return nil
	})
}

func (d *decoder) opset(m span, list *[]OpsetID) *fault {
	var o OpsetID
	err := d.each(m, func(f field) *fault {
		switch f.tag {
		case 1<<3 | delimited:
			o.Domain = d.text(f.span)
		case 2<<3 | varint:
			o.Version = int64(f.n)
		}
		return nil
	})
	*list = append(*list, o)
	return err
}

func (d *decoder) keyValue(m span, list *[]KeyValue) *fault {
	var kv KeyValue
	err := d.each(m, func(f field) *fault {
		switch f.tag {
		case 1<<3 | delimited:
			kv.Key = d.text(f.span)
		case 2<<3 | delimited:
			kv.Value = d.text(f.span)
		}
		return nil
	})
	*list = append(*list, kv)
	return err
}

func (d *decoder) graph(m span, g *Graph) *fault {
	n := d.count(m, 1<<3|delimited, 5<<3|delimited, 11<<3|delimited, 12<<3|delimited, 13<<3|delimited)
	g.Nodes = slices.Grow(g.Nodes, n[0])
	g.Initializers = slices.Grow(g.Initializers, n[1])
	g.Inputs, g.Outputs = slices.Grow(g.Inputs, n[2]), slices.Grow(g.Outputs, n[3])
	g.ValueInfo = slices.Grow(g.ValueInfo, n[4])
	return d.each(m, func(f field) *fault {
		switch f.tag {
		case 1<<3 | delimited:
			g.Nodes = append(g.Nodes, Node{})
			return d.node(f.span, &g.Nodes[len(g.Nodes)-1]).item("node", len(g.Nodes)-1)
		case 2<<3 | delimited:
			g.Name = d.text(f.span)
		case 5<<3 | delimited:
			g.Initializers = append(g.Initializers, Tensor{})
			return d.tensor(f.span, &g.Initializers[len(g.Initializers)-1]).item("initializer", len(g.Initializers)-1)
		case 10<<3 | delimited:
			g.Doc = d.text(f.span)
		case 11<<3 | delimited:
			i := len(g.Inputs)
			return d.valueInfo(f.span, &g.Inputs).item("input", i)
		case 12<<3 | delimited:
			i := len(g.Outputs)
			return d.valueInfo(f.span, &g.Outputs).item("output", i)
		case 13<<3 | delimited:
			i := len(g.ValueInfo)
			return d.valueInfo(f.span, &g.ValueInfo).item("value_info", i)
		case 15<<3 | delimited:
			list := append(g.SparseInitializers, SparseTensor{})
			g.SparseInitializers = list
			return d.sparse(f.span, &list[len(list)-1]).item("sparse_initializer", len(list)-1)
		case 16<<3 | delimited:
			i := len(g.Metadata)
			return d.keyValue(f.span, &g.Metadata).item("metadata_props", i)
		}
		return nil
	})
}

func (d *decoder) node(m span, v *Node) *fault {
	n := d.count(m, 1<<3|delimited, 2<<3|delimited, 5<<3|delimited)
	v.Inputs, v.Outputs, v.Attrs = d.strings.take(n[0]), d.strings.take(n[1]), d.attrs.take(n[2])
	return d.each(m, func(f field) *fault {
		switch f.tag {
		case 1<<3 | delimited:
			v.Inputs = append(v.Inputs, d.text(f.span))
		case 2<<3 | delimited:
			v.Outputs = append(v.Outputs, d.text(f.span))
		case 3<<3 | delimited:
			v.Name = d.text(f.span)
		case 4<<3 | delimited:
			v.OpType = d.text(f.span)
		case 5<<3 | delimited:
			v.Attrs = append(v.Attrs, Attr{})
			return d.attr(f.span, &v.Attrs[len(v.Attrs)-1]).item("attribute", len(v.Attrs)-1)
		case 6<<3 | delimited:
			v.Doc = d.text(f.span)
		case 7<<3 | delimited:
			v.Domain = d.text(f.span)
		case 8<<3 | delimited:
			v.Overload = d.text(f.span)
		case 9<<3 | delimited:
			i := len(v.Metadata)
			return d.keyValue(f.span, &v.Metadata).item("metadata_props", i)
		}
		return nil
	})
}

func (d *decoder) function(m span, v *Function) *fault {
	return d.each(m, func(f field) *fault {
		switch f.tag {
		case 1<<3 | delimited:
			v.Name = d.text(f.span)
		case 4<<3 | delimited:
			v.Inputs = append(v.Inputs, d.text(f.span))
		case 5<<3 | delimited:
			v.Outputs = append(v.Outputs, d.text(f.span))
		case 6<<3 | delimited:
			v.Attrs = append(v.Attrs, d.text(f.span))
		case 7<<3 | delimited:
			v.Nodes = append(v.Nodes, Node{})
			return d.node(f.span, &v.Nodes[len(v.Nodes)-1]).item("node", len(v.Nodes)-1)
		case 8<<3 | delimited:
			v.Doc = d.text(f.span)
		case 9<<3 | delimited:
			i := len(v.Opsets)
			return d.opset(f.span, &v.Opsets).item("opset_import", i)
		case 10<<3 | delimited:
			v.Domain = d.text(f.span)
		case 11<<3 | delimited:
			v.AttrDefaults = append(v.AttrDefaults, Attr{})
			return d.attr(f.span, &v.AttrDefaults[len(v.AttrDefaults)-1]).item("attribute_proto", len(v.AttrDefaults)-1)
		case 12<<3 | delimited:
			i := len(v.ValueInfo)
			return d.valueInfo(f.span, &v.ValueInfo).item("value_info", i)
		case 13<<3 | delimited:
			v.Overload = d.text(f.span)
		case 14<<3 | delimited:
			i := len(v.Metadata)
			return d.keyValue(f.span, &v.Metadata).item("metadata_props", i)
		}
		return nil
	})
}
