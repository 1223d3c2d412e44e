package chart

// Figure is a picture of one or more panels that share their series' names, colours and legend.
type Figure struct {
	Title, Subtitle string
	Panels          []Panel
	// PerRow is how many panels stand beside each other; 0 means two.
	PerRow int
	Notes  []string // small print below
}

// Panel is one line chart. The places on the x axis are equally far apart,
// whatever they stand for: sizes and client counts double from one to the next.
type Panel struct {
	Title  string
	X      string   // what the x axis shows
	Places []string // the labels along it
	Y      string   // what the y axis shows
	LogY   bool     // otherwise y begins at 0
	Series []Series
}

// Series is one line. Series of the same name in different panels look the same.
type Series struct {
	Name   string
	Points []Point
}

// Point is a value with its range. Place is an index into Panel.Places.
type Point struct {
	Place      int
	Value      float64
	Low, High  float64 // drawn as a thin bar if they differ
	Annotation string  // written above the point; mostly empty
}

// names lists the series of all panels, in the order of their first appearance.
func (f *Figure) names() []string {
	var names []string
	seen := map[string]bool{}
	for _, p := range f.Panels {
		for _, s := range p.Series {
			if !seen[s.Name] {
				seen[s.Name] = true
				names = append(names, s.Name)
			}
		}
	}
	return names
}
