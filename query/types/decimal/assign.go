package decimal

// Assign brings d into DECIMAL(precision, scale), as storing into a column does: rounded half away from zero, zeros
// added. Overflow (error or warning 1264): the result is the type's nearest bound; a negative number, be it ever so
// small, has none below zero if the type is unsigned. Truncated (note 1265): digits other than zero were lost.
// Precision and scale must be those of a type ([NewPacked] knows); they are brought into its limits.
func (d Dec) Assign(precision, scale int, unsigned bool) (Dec, Cond) {
	precision = min(max(precision, 1), PrecisionMax)
	scale = min(max(scale, 0), precision, ScaleMax)
	if unsigned && d.Negative() {
		return small(u128{}, newMeta(false, 1, scale)), Overflow
	}
	d, cond := d.into(precision, scale)
	if d.IsZero() {
		d.meta &^= signBit
	}
	return d, cond
}

// Cast brings d into DECIMAL(precision, scale) as CAST does: Overflow is a warning (1264), lost digits are none, and zero
// keeps its sign.
func (d Dec) Cast(precision, scale int) (Dec, Cond) {
	precision = min(max(precision, 1), PrecisionMax)
	scale = min(max(scale, 0), precision, ScaleMax)
	r, _ := d.Round(scale, HalfUp)
	if r.IntDigits() > precision-scale {
		return Max(precision, scale, r.Negative()), Overflow
	}
	return r, 0
}

// into rounds and clips.
func (d Dec) into(precision, scale int) (Dec, Cond) {
	neg := d.meta.neg()
	whole := precision - scale
	if d.IntDigits() > whole {
		return Max(precision, scale, neg), Overflow
	}
	if d.Scale() == scale {
		return d, 0
	}
	// What is left has few enough digits before the point for its leading zeros to give way to the fraction.
	r, _ := d.trimmed().Round(scale, HalfUp)
	if r.IntDigits() > whole {
		return Max(precision, scale, neg), Overflow
	}
	if d.Scale() > scale && Cmp(r, d) != 0 {
		return r, Truncated
	}
	return r, 0
}

// trimmed returns d without leading zeros.
func (d Dec) trimmed() Dec {
	if d.big == nil {
		d.meta = newMeta(d.meta.neg(), d.IntDigits(), d.Scale())
		return d
	}
	var x wide
	x.set(d)
	x.strip()
	return x.dec()
}
