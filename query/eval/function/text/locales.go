package text

import "strings"

// locales are how numbers are written in MariaDB's locales, as FORMAT answered for each name of information_schema.LOCALES.
var locales = map[string]*locale{}

func init() {
	for _, l := range []struct {
		locale
		names string
	}{
		{locale{".", ",", "\x03"}, "ar_AE ar_BH ar_DZ ar_EG ar_IN ar_IQ ar_JO ar_KW ar_LB ar_LY ar_MA ar_OM ar_QA ar_SD ar_SY ar_TN ar_YE en_AU " +
			"en_CA en_GB en_NZ en_PH en_US en_ZA en_ZW es_DO es_GT es_HN es_MX es_NI es_PA es_PE es_PR es_SV es_US gu_IN " +
			"he_IL hi_IN ja_JP ko_KR ms_MY th_TH ur_PK zh_CN zh_HK zh_TW"},
		{locale{",", ".", "\x03"}, "be_BY da_DK de_BE de_DE de_LU es_AR es_BO es_CL es_CO es_EC es_ES es_PY es_UY es_VE fo_FO hu_HU id_ID is_IS " +
			"lt_LT mn_MN nb_NO no_NO ro_RO ru_UA sq_AL tr_TR uk_UA vi_VN"},
		{locale{",", "", ""}, "ca_ES de_AT el_GR eu_ES fr_BE fr_CA fr_CH fr_FR fr_LU gl_ES hr_HR it_IT nl_BE nl_NL pl_PL pt_BR pt_PT sl_SI"},
		{locale{",", " ", "\x03"}, "cs_CZ es_CR et_EE fi_FI ka_GE lv_LV mk_MK ru_RU sk_SK sv_FI sv_SE"},
		{locale{".", ",", "\x03\x02"}, "en_IN ta_IN te_IN"},
		{locale{".", "", ""}, "ar_SA sr_RS"},
		{locale{",", "'", "\x03"}, "it_CH rm_CH"},
		{locale{",", "\x00", "\x03"}, "bg_BG"},
		{locale{".", "'", "\x03"}, "de_CH"},
	} {
		for _, name := range strings.Fields(l.names) {
			locales[strings.ToLower(name)] = &locale{l.point, l.separator, l.groups}
		}
	}
}

// findLocale finds a locale by its name; upper and lower case are the same.
func findLocale(name []byte) (*locale, bool) {
	const longest = 16
	if len(name) > longest {
		return nil, false
	}
	var lower [longest]byte
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	l, ok := locales[string(lower[:len(name)])]
	return l, ok
}
