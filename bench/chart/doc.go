// Package chart draws the results of benchmarks: tables as text and as Markdown, and
// line charts as one self-contained SVG file (no scripts, no fonts or images from elsewhere).
package chart
