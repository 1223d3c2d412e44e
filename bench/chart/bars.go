package chart

import (
	"fmt"
	"io"
	"math"
)

// Bars is a picture of horizontal bars in groups: one group for each name, with a
// bar of each series. It suits few values of many things, where Figure suits many values of few.
type Bars struct {
	Title, Subtitle string
	X               string // what the length shows
	Groups          []string
	Series          []BarSeries
	// Mark is a value that gets a line across all bars; 0 is none.
	Mark  float64
	Notes []string
}

// BarSeries has a bar for each group. Point.Place is the group; Point.Annotation is written at the bar's end.
type BarSeries Series

const (
	barHeight   = 13.0
	groupSpace  = 11.0
	groupLabels = 150.0
	barsWidth   = 860.0
	barNumbers  = 120.0 // room for annotations at the longest bar
)

// SVG writes the picture as one file that needs nothing else.
func (b *Bars) SVG(w io.Writer) error {
	d := &drawing{}
	const perLegendRow = 2 // fits barsWidth
	legendRows := (len(b.Series) + perLegendRow - 1) / perLegendRow
	top := 44.0
	if b.Subtitle != "" {
		top += lineHeight
	}
	y0 := top + float64(legendRows)*lineHeight + 14
	groupHeight := float64(len(b.Series))*barHeight + groupSpace
	y1 := y0 + groupHeight*float64(len(b.Groups))
	height := y1 + 56 + float64(len(b.Notes))*16

	fmt.Fprintf(&d.Buffer, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222222">`+"\n",
		num(barsWidth), num(height), num(barsWidth), num(height))
	fmt.Fprintf(&d.Buffer, `<title>%s</title>`+"\n", escape(b.Title))
	d.rect(0, 0, barsWidth, height, "#ffffff")
	d.text(24, 30, "start", `font-size="19" font-weight="bold"`, b.Title)
	if b.Subtitle != "" {
		d.text(24, 52, "start", `fill="#555555"`, b.Subtitle)
	}
	for i, s := range b.Series {
		x, y := 24+float64(i%perLegendRow)*legendColumn, top+float64(i/perLegendRow)*lineHeight
		d.rect(x, y, 22, 12, colour(i))
		d.text(x+30, y+10.5, "start", "", s.Name)
	}
	values := []float64{b.Mark}
	for _, s := range b.Series {
		for _, p := range s.Points {
			values = append(values, p.Value, p.High)
		}
	}
	a := newAxis(values, false)
	x0, x1 := groupLabels, barsWidth-barNumbers
	x := func(v float64) float64 { return x0 + (x1-x0)*a.at(v) }
	for _, t := range a.ticks {
		d.line(x(t), y0, x(t), y1, "#e3e3e3", 1)
		d.text(x(t), y1+18, "middle", "", Count(t))
	}
	for i, g := range b.Groups {
		d.text(x0-8, y0+groupHeight*(float64(i)+0.5)+1, "end", "", g)
	}
	for i, s := range b.Series {
		for _, p := range s.Points {
			y := y0 + groupHeight*float64(p.Place) + float64(i)*barHeight + groupSpace/2
			end := math.Max(p.Value, 0)
			d.rect(x0, y+1, x(end)-x0, barHeight-2, colour(i))
			if p.Low != p.High {
				d.line(x(p.Low), y+barHeight/2, x(p.High), y+barHeight/2, "#222222", 1)
				end = math.Max(end, p.High)
			}
			d.text(x(end)+5, y+barHeight-3, "start", `font-size="11"`, p.Annotation)
		}
	}
	if b.Mark != 0 {
		d.line(x(b.Mark), y0, x(b.Mark), y1, "#222222", 1.2)
	}
	d.line(x0, y0, x0, y1, "#444444", 1.2)
	d.text((x0+x1)/2, y1+40, "middle", "", b.X)
	for i, n := range b.Notes {
		d.text(24, y1+60+float64(i)*16, "start", `font-size="11.5" fill="#555555"`, n)
	}
	d.WriteString("</svg>\n")
	_, err := w.Write(d.Bytes())
	return err
}
