package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Sizes in SVG units, which are pixels at the natural size.
const (
	panelWidth, panelHeight = 520.0, 340.0
	marginLeft              = 78.0 // of a panel: the y axis' labels
	marginRight             = 18.0
	marginTop               = 40.0 // the panel's title
	marginBottom            = 58.0 // the x axis' labels
	legendColumn            = 350.0
	lineHeight              = 20.0
)

// colours are Okabe and Ito's, which people with colour blindness can tell
// apart; shapes are a second way to tell.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#a0487f", "#e69f00", "#3aa0d8", "#000000", "#8c6d1f"}

// SVG writes the figure as one file that needs nothing else.
func (f *Figure) SVG(w io.Writer) error {
	d := &drawing{}
	perRow := f.PerRow
	if perRow <= 0 {
		perRow = 2
	}
	perRow = max(1, min(perRow, len(f.Panels)))
	rows := (len(f.Panels) + perRow - 1) / perRow
	names := f.names()
	width := math.Max(panelWidth*float64(perRow), 640)
	perLegendRow := max(1, int((width-2*24)/legendColumn))
	legendRows := (len(names) + perLegendRow - 1) / perLegendRow
	top := 44.0
	if f.Subtitle != "" {
		top += lineHeight
	}
	panelsTop := top + float64(legendRows)*lineHeight + 8
	height := panelsTop + float64(rows)*panelHeight + float64(len(f.Notes))*16 + 16

	fmt.Fprintf(&d.Buffer, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222222">`+"\n",
		num(width), num(height), num(width), num(height))
	fmt.Fprintf(&d.Buffer, `<title>%s</title>`+"\n", escape(f.Title))
	d.rect(0, 0, width, height, "#ffffff")
	d.text(24, 30, "start", `font-size="19" font-weight="bold"`, f.Title)
	if f.Subtitle != "" {
		d.text(24, 52, "start", `fill="#555555"`, f.Subtitle)
	}
	style := map[string]int{}
	for i, name := range names {
		style[name] = i
		x, y := 24+float64(i%perLegendRow)*legendColumn, top+float64(i/perLegendRow)*lineHeight+6
		d.line(x, y, x+26, y, colour(i), 2.2)
		d.marker(x+13, y, i)
		d.text(x+34, y+4.5, "start", "", name)
	}
	for i := range f.Panels {
		d.panel(&f.Panels[i], float64(i%perRow)*panelWidth, panelsTop+float64(i/perRow)*panelHeight, style)
	}
	for i, n := range f.Notes {
		d.text(24, panelsTop+float64(rows)*panelHeight+float64(i)*16+8, "start", `font-size="11.5" fill="#555555"`, n)
	}
	d.WriteString("</svg>\n")
	_, err := w.Write(d.Bytes())
	return err
}

type drawing struct{ bytes.Buffer }

func (d *drawing) panel(p *Panel, left, top float64, style map[string]int) {
	x0, x1 := left+marginLeft, left+panelWidth-marginRight
	y0, y1 := top+panelHeight-marginBottom, top+marginTop
	var values []float64
	for _, s := range p.Series {
		for _, pt := range s.Points {
			values = append(values, pt.Value)
			if pt.Low != pt.High {
				values = append(values, pt.Low, pt.High)
			}
		}
	}
	a := newAxis(values, p.LogY)
	x := func(place int) float64 {
		n := float64(max(len(p.Places), 1))
		return x0 + (x1-x0)*(float64(place)+0.5)/n
	}
	y := func(v float64) float64 { return y0 + (y1-y0)*a.at(v) }

	d.text((x0+x1)/2, y1-14, "middle", `font-size="14" font-weight="bold"`, p.Title)
	for _, t := range a.ticks {
		d.line(x0, y(t), x1, y(t), "#e3e3e3", 1)
		d.text(x0-8, y(t)+4.5, "end", "", Short(t))
	}
	d.line(x0, y0, x1, y0, "#444444", 1.2)
	d.line(x0, y0, x0, y1, "#444444", 1.2)
	for i, label := range p.Places {
		d.line(x(i), y0, x(i), y0+5, "#444444", 1.2)
		d.text(x(i), y0+20, "middle", "", label)
	}
	d.text((x0+x1)/2, y0+42, "middle", "", p.X)
	fmt.Fprintf(&d.Buffer, `<text transform="translate(%s %s) rotate(-90)" text-anchor="middle">%s</text>`+"\n",
		num(left+16), num((y0+y1)/2), escape(p.Y))

	for n, s := range p.Series {
		i := style[s.Name]
		aside := (float64(n) - float64(len(p.Series)-1)/2) * 3 // so that ranges do not hide each other
		d.WriteString(`<polyline fill="none" stroke-width="2.2" stroke="` + colour(i) + `" points="`)
		for _, pt := range s.Points {
			fmt.Fprintf(&d.Buffer, "%s,%s ", num(x(pt.Place)+aside), num(y(pt.Value)))
		}
		d.WriteString("\"/>\n")
		for _, pt := range s.Points {
			if pt.Low != pt.High {
				d.line(x(pt.Place)+aside, y(pt.Low), x(pt.Place)+aside, y(pt.High), colour(i), 1.2)
			}
			d.marker(x(pt.Place)+aside, y(pt.Value), i)
			if pt.Annotation != "" {
				d.text(x(pt.Place), y(pt.Value)-9, "middle", `font-size="12"`, pt.Annotation)
			}
		}
	}
}

func (d *drawing) rect(x, y, w, h float64, fill string) {
	fmt.Fprintf(&d.Buffer, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n", num(x), num(y), num(w), num(h), fill)
}

func (d *drawing) line(x1, y1, x2, y2 float64, stroke string, width float64) {
	fmt.Fprintf(&d.Buffer, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" stroke-width="%s"/>`+"\n",
		num(x1), num(y1), num(x2), num(y2), stroke, num(width))
}

func (d *drawing) text(x, y float64, anchor, attributes, text string) {
	fmt.Fprintf(&d.Buffer, `<text x="%s" y="%s" text-anchor="%s" %s>%s</text>`+"\n", num(x), num(y), anchor, attributes, escape(text))
}

// marker draws the shape of series i around a point.
func (d *drawing) marker(x, y float64, i int) {
	const r = 4.0
	c := colour(i)
	points := func(xy ...float64) {
		d.WriteString(`<polygon fill="` + c + `" points="`)
		for k := 0; k < len(xy); k += 2 {
			fmt.Fprintf(&d.Buffer, "%s,%s ", num(x+xy[k]), num(y+xy[k+1]))
		}
		d.WriteString("\"/>\n")
	}
	switch i % 4 {
	case 0:
		fmt.Fprintf(&d.Buffer, `<circle cx="%s" cy="%s" r="%s" fill="%s"/>`+"\n", num(x), num(y), num(r), c)
	case 1:
		d.rect(x-r+0.5, y-r+0.5, 2*r-1, 2*r-1, c)
	case 2:
		points(0, -r-1, r+1, r, -r-1, r)
	default:
		points(0, -r-1, r+1, 0, 0, r+1, -r-1, 0)
	}
}

func colour(i int) string { return colours[i%len(colours)] }

// num writes a coordinate. SVG knows no NaN.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

func escape(s string) string {
	var b bytes.Buffer
	// Writing to a bytes.Buffer does not fail.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
