/**
 * Unicode 16 as in ripgrep 15, so that results do not change with the Unicode version of the runtime. Generated from
 * ripgrep's matches on every code point. Ranges: the gap to the previous one and the length minus one, in base 36.
 */

export const CATEGORIES = `
L Letter Lu Uppercase_Letter Ll Lowercase_Letter Lt Titlecase_Letter LC Cased_Letter Lm Modifier_Letter
Lo Other_Letter M Mark Combining_Mark Mn Nonspacing_Mark Mc Spacing_Mark Me Enclosing_Mark N Number
Nd Decimal_Number digit Nl Letter_Number No Other_Number P Punctuation punct Pc Connector_Punctuation
Pd Dash_Punctuation Ps Open_Punctuation Pe Close_Punctuation Pi Initial_Punctuation Pf Final_Punctuation
Po Other_Punctuation S Symbol Sm Math_Symbol Sc Currency_Symbol Sk Modifier_Symbol So Other_Symbol Z Separator
Zs Space_Separator Zl Line_Separator Zp Paragraph_Separator C Other Cc Control cntrl Cf Format Cs Surrogate
Co Private_Use Cn Unassigned`.trim();

export const SCRIPTS = `
Adlam Adlm Ahom Anatolian_Hieroglyphs Hluw Arabic Arab Armenian Armn Avestan Avst Balinese Bali Bamum Bamu
Bassa_Vah Bass Batak Batk Bengali Beng Bhaiksuki Bhks Bopomofo Bopo Brahmi Brah Braille Brai Buginese Bugi
Buhid Buhd Canadian_Aboriginal Cans Carian Cari Caucasian_Albanian Aghb Chakma Cakm Cham Cherokee Cher
Chorasmian Chrs Common Zyyy Coptic Copt Cuneiform Xsux Cypriot Cprt Cypro_Minoan Cpmn Cyrillic Cyrl Deseret
Dsrt Devanagari Deva Dives_Akuru Diak Dogra Dogr Duployan Dupl Egyptian_Hieroglyphs Egyp Elbasan Elba Elymaic
Elym Ethiopic Ethi Georgian Geor Glagolitic Glag Gothic Goth Grantha Gran Greek Grek Gujarati Gujr
Gunjala_Gondi Gong Gurmukhi Guru Han Hani Hangul Hang Hanifi_Rohingya Rohg Hanunoo Hano Hatran Hatr Hebrew
Hebr Hiragana Hira Imperial_Aramaic Armi Inherited Zinh Inscriptional_Pahlavi Phli Inscriptional_Parthian Prti
Javanese Java Kaithi Kthi Kannada Knda Katakana Kana Kawi Kayah_Li Kali Kharoshthi Khar Khitan_Small_Script
Kits Khmer Khmr Khojki Khoj Khudawadi Sind Lao Laoo Latin Latn Lepcha Lepc Limbu Limb Linear_A Lina Linear_B
Linb Lisu Lycian Lyci Lydian Lydi Mahajani Mahj Makasar Maka Malayalam Mlym Mandaic Mand Manichaean Mani
Marchen Marc Masaram_Gondi Gonm Medefaidrin Medf Meetei_Mayek Mtei Mende_Kikakui Mend Meroitic_Cursive Merc
Meroitic_Hieroglyphs Mero Miao Plrd Modi Mongolian Mong Mro Mroo Multani Mult Myanmar Mymr Nabataean Nbat
Nag_Mundari Nagm Nandinagari Nand New_Tai_Lue Talu Newa Nko Nkoo Nushu Nshu Nyiakeng_Puachue_Hmong Hmnp Ogham
Ogam Ol_Chiki Olck Old_Hungarian Hung Old_Italic Ital Old_North_Arabian Narb Old_Permic Perm Old_Persian Xpeo
Old_Sogdian Sogo Old_South_Arabian Sarb Old_Turkic Orkh Old_Uyghur Ougr Oriya Orya Osage Osge Osmanya Osma
Pahawh_Hmong Hmng Palmyrene Palm Pau_Cin_Hau Pauc Phags_Pa Phag Phoenician Phnx Psalter_Pahlavi Phlp Rejang
Rjng Runic Runr Samaritan Samr Saurashtra Saur Sharada Shrd Shavian Shaw Siddham Sidd SignWriting Sgnw Sinhala
Sinh Sogdian Sogd Sora_Sompeng Sora Soyombo Soyo Sundanese Sund Syloti_Nagri Sylo Syriac Syrc Tagalog Tglg
Tagbanwa Tagb Tai_Le Tale Tai_Tham Lana Tai_Viet Tavt Takri Takr Tamil Taml Tangsa Tnsa Tangut Tang Telugu
Telu Thaana Thaa Thai Tibetan Tibt Tifinagh Tfng Tirhuta Tirh Toto Ugaritic Ugar Vai Vaii Vithkuqi Vith Wancho
Wcho Warang_Citi Wara Yezidi Yezi Yi Yiii Zanabazar_Square Zanb`.trim();

export const BINARY_PROPERTIES = `
ASCII_Hex_Digit AHex Alphabetic Alpha Bidi_Control Bidi_C Bidi_Mirrored Bidi_M Case_Ignorable CI Cased
Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM Changes_When_Lowercased CWL Changes_When_NFKC_Casefolded
CWKCF Changes_When_Titlecased CWT Changes_When_Uppercased CWU Dash Default_Ignorable_Code_Point DI Deprecated Dep
Diacritic Dia Emoji Emoji_Component EComp Emoji_Modifier EMod Emoji_Modifier_Base EBase Emoji_Presentation EPres
Extended_Pictographic ExtPict Extender Ext Grapheme_Base Gr_Base Grapheme_Extend Gr_Ext Hex_Digit Hex
IDS_Binary_Operator IDSB IDS_Trinary_Operator IDST ID_Continue IDC ID_Start IDS Ideographic Ideo Join_Control Join_C
Logical_Order_Exception LOE Lowercase Lower Math Noncharacter_Code_Point NChar Pattern_Syntax Pat_Syn
Pattern_White_Space Pat_WS Quotation_Mark QMark Radical Regional_Indicator RI Sentence_Terminal STerm
Soft_Dotted SD Terminal_Punctuation Term Unified_Ideograph UIdeo Uppercase Upper Variation_Selector VS
White_Space space XID_Continue XIDC XID_Start XIDS`.trim();

/** `\\w`: alphabetic characters, marks, decimal digits, connectors, join controls. */
export const WORD = `
1c-9 7-p 4 1-p 1b a 4 5-m 1-u 1-cp 4-b e-4 7 1 h-38 1-1 2-3 1 6 1-2 1 1-j 1-2a 1-3u 1-4s 1-11 2 6-14 8-18 1 1-1 1-1
1 8-q 4-3 t-a 5-21 4-2t 1-7 2-9 1-i 2 g-1m 2-2s e-1h 4 2 2-19 i-r 4-a 5-n 1-5 8-22 1-3k 2-9 1-i 1-7 2-1 2-l 1-6 1
3-3 2-8 2-1 2-3 8 4-1 1-4 2-b a 1 2-2 1-5 4-1 2-l 1-6 1-1 1-1 1-1 2 1-4 4-1 2-2 3 7-3 1 7-f b-2 1-8 1-2 1-l 1-6 1-1
1-4 2-9 1-2 1-2 2 f-3 2-9 9-6 1-2 1-7 2-1 2-l 1-6 1-1 1-4 2-8 2-1 2-2 7-2 4-1 1-4 2-9 1 g-1 1-5 3-2 1-3 3-1 1 1-1
3-1 3-2 3-b 4-4 3-2 1-3 2 6 e-9 g-c 1-2 1-m 1-f 2-8 1-2 1-3 7-1 1-2 2 2-3 2-9 g-3 1-7 1-2 1-m 1-9 1-4 2-8 1-2 1-3
7-1 6-1 1-3 2-9 1-2 c-c 1-2 1-1e 1-2 1-4 5-3 7-4 2-9 a-5 1-2 1-h 3-n 1-8 1 2-6 3 4-5 1 1-7 6-9 2-1 d-1l 5-e 1-9 13-1
1 1-4 1-n 1 1-m 2-4 1 1-6 1-9 2-3 w n-1 6-9 b 1 1 4-9 1-z 4-j 1-h 1-z 9 1l-21 6-25 2-11 1 5 2-16 1-98 1-3 2-6 1 1-3
2-14 1-3 2-w 1-3 2-6 1 1-3 2-e 1-1k 1-3 2-1u 2-2 w-f g-2d 2-5 3-h7 2-g 1-p 5-22 3-a 7-l 9-l b-j c-c 1-2 1-1 c-2b 3
4-1 2-9 x-2 1-a 6-2g 7-16 5-1x a-u 1-b 4-b a-13 2-4 b-17 4-p 6-9 12-r 4-1q 1-s 2-a 6-9 d 8-u 1d-24 3-9 h-8 c-37 c-1j
8-9 3-1c 2-a 5-16 2-2 g-2 1-12 5-et 2-5 2-11 2-5 2-7 1 1 1 1-u 2-1g 1-6 1 3-2 1-6 3-3 2-5 4-c 5-2 1-6 f-1 1d-1 j s d
g-c 1f-w h 4 2-9 1 3-4 6 1 1 1-3 1-a 2-3 5-4 4 h-14 ml-1f 1ee-6c 6-8 c-11 1 5 2-1j 7 f-n 9-6 1-6 1-6 1-6 1-6 1-6 1-6
1-6 1-v 1b d1-2 p-e 1-4 2-4 4-2d 2-1 2-2 1-2h 1-3 5-16 1-2l h-v 1c-f e8-533 1s-h3g 1v-19 2-7g 3-r k-1e 1-9 1-36 11-8
2-2u 2-1u 2-1 1 1-7 l-1h 4 j-1f c-1x a-9 6-n 3 1-1c 2-z c-s 3-1s e-a 6-u 1-1i 9-d 2-9 6-m 3-20 o-2 2-f 2-4 a-5 2-5
2-5 9-6 1-6 1-16 1-d 6-3e 1-1 2-9 6-8mb c-m 4-1c 6is-a5 2-2x 12-6 c-4 5-b 1-c 1-4 1 1-1 1-1 1-2z x-a2 i-1r 2-1h 14-b
4-f g-f 3-1 o-2 w-4 1-3q j-9 7-p 4 1-p b-2g 3-5 2-5 2-5 2-2 z-b 1-p 1-i 1-1 1-e 2-d y-3e 1x-1g 3s 3m-s 3-1c f v-v
d-t 5-16 5-t 2-z 4-7 1-4 16-4d 2-9 6-z 4-z 4-13 8-1f c-a 1-e 1-6 1-1 1-a 1-e 1-6 1-1 3-1f c-8m 9-l a-7 o-5 1-15 1-8
1x-5 2 1-17 1-1 3 2-m a-m 9-u 1t-i 1-1 a-l a-p 1y-1j 6-1 1s-3 1-1 5-7 1-2 1-s 2-2 4 w-s 3-s z-7 1-t p-1h a-l a-i d-h
32-20 1j-1e d-1e d-13 8-9 6-11 3-4 1-m 6y-15 1-1 3-1 g-2 1j-w a 8-w v-l 16-k r-m 9-1y v-f 9-1n 7 d-o 7-9 6-1g 1-9
4-3 8-z 2 9-1w 4-3 1-c 1 z-h 1-10 6-3 1q-6 1 1-3 1-e 1-9 7-1m 5-9 6-3 1-7 2-1 2-l 1-6 1-1 1-4 1-9 2-1 2-2 2 6 5-6
2-6 3-4 b-9 1 2 1-11 1-9 1 2 1-3 1-7 d-1 t-22 5-9 4-3 u-1x 1 8-9 4m-1h 2-8 n-5 y-1s 3 b-9 12-1k 7-9 6-j s-q 2-e 4-9
6-6 55-1m 2t-21 l-7 2 2-7 1-1 1-t 1-1 2-8 c-9 1y-7 2-19 2-7 1-1 r-1q 8 8-21 3 i-20 5j-w f-9 6-8 1-18 1-8 f-9 o-t 2-l
1-d 21-6 1-1 1-17 3 1-1 1-8 8-9 6-5 1-1 1-10 1-1 1-5 7-9 8m-m 9-g 1-14 3-4 d-a 2d 27-pl 2u-32 h-5f 218-2o f-tr g-l
a-32y 5-g6 5a1-1l 1c6-fs 7-u 1-9 6-26 1-9 6-t 2-4 b-1i 9-3 c-9 9-k 5-i c0-18 3-9 5i-1r 3k-22 4-1k 7-g 1s-1 1-1 b-1
e-4qf 8-yd 15-9 6w7-3 1-6 1-1 1-82 f t-2 2 e-3 8-az 1s4-2y 5-c 3-8 7-9 3-1 381-9 ee-19 2-m f2-4 3-5 8-7 2-6 u-3 44-2
cb-2c 1-1y 1-1 2 2-1 2-3 1-b 1 1-6 1-1s 1-3 2-7 1-6 1-r 1-3 1-4 1 3-6 1-9f 2-o 1-o 1-u 1-o 1-u 1-o 1-u 1-o 1-u 1-o
1-7 2-1d e8-1i 4-1d 8 e m-4 1-e uo-u 6-5 5x-6 1-g 2-6 1-1 1-4 5-1p x 34-18 3-d 2-9 4 8x-u h-1l d2-15 5y-16 dh-6 1-3
1-1 1-e 1-5g b-6 15-23 4-9 x2-3 1-q 1-1 1 2 1-9 1-3 1 1 6 4 1 1 1-2 1-1 1 2 1 1 1 1 1-1 1 2-3 1-6 1-3 1-3 1 1-9 1-g
5-2 1-4 1-g hg-p 6-p 6-p 21y-9 sm-wyn w-37d 6-65 2-4g1 e-5rk f-h9 1wi-f1 15u-3t6 5-38f f9e8-6n`;

/** `\\d`: decimal digits. */
export const DIGIT = `
1c-9 17q-9 3q-9 5i-9 bg-9 3a-9 3a-9 3a-9 3a-9 3a-9 3a-9 3a-9 3a-9 3a-9 2o-9 3a-9 1y-9 7q-9 1y-9 1fq-9 12-9 8c-9 3k-9
4m-9 6-9 52-9 2e-9 3q-9 6-9 r7q-9 iu-9 12-9 5i-9 m-9 2e-9 ba-9 geu-9 13a-9 1om-9 6-9 m4-9 3k-9 1o-9 40-9 7q-9 9i-9
3a-9 ae-9 2u-9 6-j 24-9 bq-9 2u-9 ie-9 2e-9 6u-9 1y-9 bq-9 d06-9 1t2-9 2e-9 3q-9 eu-9 iuu-9 250-1d 1ts-9 bq-9 dy-9
6v-9 np-9 3o6-9`;

/** Code points without a character. */
export const UNASSIGNED = `
oo-1 6-3 7 1 k b1 12-1 1e-1 3 1j-7 r-3 6-a 7i 1o-1 2t-d 1n-1 1d-1 f s-1 1 b-4 v 2-4 6l 8-1 2-1 m 7 1-2 4-1 9-1 2-1
4-7 1-3 2 5-1 p-1 3 6-3 2-1 m 7 2 2 2-1 1 5-3 2-1 3-2 1-6 4 1-6 h-9 3 9 3 m 7 2 5-1 a 3 3-1 1-e 4-1 c-6 7 3 8-1 2-1
m 7 2 5-1 9-1 2-1 3-6 3-3 2 5-1 i-9 2 6-2 3 4-2 2 1 2-2 2-2 3-2 c-3 5-2 3 4-1 1-5 1-d l-4 d 3 n g-1 9 3 4-6 2 3-1
1-1 4-1 a-6 m 3 n a 5-1 9 3 4-6 2-5 2 4-1 a 3-b d 3 1f 3 6-3 g-1 q 3 i-2 o 9 1-1 7-2 1-3 6 1 8-5 a-1 3-b 1m-3 t-10 2
1 5 o 1 n-1 5 1 7 a-1 4-v 20 10-3 13 10 f d-10 5i 1-4 1-1 ah 4-1 7 1 4-1 15 4-1 x 4-1 7 1 4-1 f 1l 4-1 1v-1 w-2 q-5
2e-1 6-1 il-2 2h-6 m-8 o-8 k-b d 3 2-b 2m-1 a-5 a-5 q-5 2h-6 17-4 1y-9 v c-3 c-3 1-2 16-1 5-a 18-3 q-5 b-2 1q-1 1t
t-1 b-5 a-5 e-1 v-1c 25 4m-7 1o-2 f-2 1q-4 17-1 b-7 17-4 eu-1 6-1 12-1 6-1 8 1 1 1 v-1 1h f e-1 6 j-1 3 9 2t c-1 r
d-2 x-e x-e 3w-3 ii-l b-k 1ec-1 w 9p-4 19 1-4 1-1 1k-6 2-d o-8 7 7 7 7 7 7 7 7 3i-x q 2h-b 5y-p 28 2e-1 2v-4 17 2m
2e-8 1c mlp-2 1j-8 9o-j 54-7 5q-1 2 1 8-k 1n-2 a-5 1k-7 1y-7 c-5 38-a u-2 26 b-3 x 1j-8 e-1 a-1 2v-n s-9 6-1 6-1 6-8
7 7 1o-3 3i-1 a-5 8mc-b n-3 1d-3 6su-1 2y-11 7-b 5-4 q 5 1 2 2 3h-f cd-1 1i-6 1-v 16-5 1f j 4-3 5 3r-1 1 5a-2 6-1
6-1 6-1 3-2 7 7-9 5-1 c q j 2 f-1 e-x 3f-4 3-3 19-2 2g d-2 1-1a 1a-3l t-2 1d-e s-3 10-8 u-4 17-4 u 11-3 e-15 4e-1
a-5 10-3 10-3 14-7 1g-a c f 7 2 b f 7 2-2 1g-b 8n-8 m-9 8-n 6 16 9-1w 6-1 1 18 2-2 1-1 n 20-7 9-1b j 2-4 x-2 r-4
1-1r 1k-3 k-1 1e 2-4 8 3 t-1 3-3 a-6 9-6 1s-v 13-3 c-8 1i-2 t-1 r-4 q-6 4-b 7-27 21-1i 1f-c 1f-6 1a-7 a-5 12-2 t-7
2-5r v 16 3-1 2-f 3-1i 18-7 16-l q-11 s-j n-8 26-3 10-8 1w-9 1-1 p-6 a-5 1h i-7 13-8 2o k-a i 1b-1p 7 1 4 f b-5 1n-4
a-5 4 8-1 2-1 m 7 2 5 a-1 2-1 3-1 1-5 1-4 7-1 7-2 5-a a 1-1 1 12 a 1-1 1 4 a 2-7 2-s 2k 5-t 20-7 a-4l 1i-1 12-x 1x-a
a-5 d-i 1m-5 a-5 k-r r-1 f-3 n-54 1o-2r 2b-b 8-1 1-1 8 2 u 2-1 c-8 a-1x 8-1 1a-1 b-q 20-7 2b-c 21-6 a-51 y-d a-5 9
19 e-9 t-2 w-1 m e-20 7 2 18-2 1 2 9-7 a-5 6 2 11 2 6-6 a-8l p-6 h 15-2 t-2c 1-e 1e-c pn-2t 33 5-a 5g-217 2r-c uu-9
32z-4 g7-5a0 1m-1c5 ft-6 v a-3 29 a-5 u-1 6-9 1y-9 a 7 l-4 j-bz 1m-5h 2j-2s 23-3 1l-6 h-1r 5-a 2-d 4qg-7 ye-14 a-6w6
4 7 2 83-e 1-s 3-1 1-d 4-7 b0-1s3 2z-4 d-2 9-6 a-1 8-317 6y-5 c4-23 1a-1 n-8 38-1n 6u-9 13-1 5e-k 1y-3d k-b k-b 2f-8
p-3q 2d 1z 2-1 1-1 2-1 4 c 1 7 1t 4-1 8 7 s 4 5 1-2 7 9g-1 84-1 ji-e 5 f-un v-5 6-5w 7 h-1 7 2 5-4 1q-w 1-33 19-2
e-1 a-3 2-8v v-g 1m-4 1-cv 16-5x 17-3 1-db 7 4 2 f 5h-1 g-14 24-3 a-3 2-ls 1w-23 1p-5d 4 r 2 1-1 1 a 4 1 1-5 1-3 1 1
1 3 2 1-1 1 1 1 1 1 2 1-1 4 7 4 4 1 a h-4 3 5 h-1f 2-7h 18-3 2s-b f-1 f f 11-9 4u-1j t-c 18-3 9-6 2-d 6-49 rc-3 h-2
d-2 3b-3 2n-5 c-3 1-e c-3 1k-7 a-5 14-7 u-1 c-3 2-1p 9g-b e-1 d-2 a-4 1k-6 f-1 b-5 9-6 43 2u-sl wyo-v 37e-5 66-1
4g2-d 5rl-e ha-1wh f2-15t 3t7-4 38g-f974 1-t 2o-3j 6o-1e6n 1eke-1 1eke-1`;
