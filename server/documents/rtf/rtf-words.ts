/** Control words that are characters. */
export const characterWords = new Map<string, string>([
  ['tab', '\t'],
  ['emdash', '—'],
  ['endash', '–'],
  ['emspace', '\u2003'],
  ['enspace', '\u2002'],
  ['qmspace', '\u2005'],
  ['bullet', '•'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
  ['ltrmark', '\u200e'],
  ['rtlmark', '\u200f'],
  ['zwj', '\u200d'],
  ['zwnj', '\u200c'],
  ['zwbo', '\u200b'],
  ['zwnbo', '\u2060'],
]);

/** Control symbols that are characters; an optional hyphen (`\-`) is none until a line breaks there. */
export const characterSymbols = new Map<string, string>([
  ['\\', '\\'],
  ['{', '{'],
  ['}', '}'],
  ['~', '\u00a0'],
  ['_', '\u2011'],
]);

/** Groups whose content is not text of the document, though they lack the mark `\*` of such groups. */
export const skippedDestinations = new Set(
  (
    'colortbl filetbl revtbl rsidtbl pict objdata datastore themedata xmlnstbl listtable listoverridetable ' +
    'nonshppict nonesttables shprslt sp falt panose fontemb fontfile template private pnseclvl keywords operator ' +
    'author manager company category doccomm hlinkbase comment subject creatim revtim printim buptim xe tc tcn ' +
    'rxe bkmkstart bkmkend atnid atnauthor atntime atndate atnref atnparent atnicn docvar generator ' +
    'sn sv ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn txe mmathPr'
  ).split(' '),
);

/** Groups that are marked as unknown to old programs, and have text. */
export const readDestinations = new Set(
  'shppict shpinst shptxt fldinst fldrslt footnote annotation pn nesttableprops ud listtext do dptxbxtext moMath'.split(
    ' ',
  ),
);

/** The code page of a font's character set (`\fcharset`). */
export const codePageOfCharset = new Map<number, number>([
  [0, 1252],
  [77, 10_000],
  [78, 10_001],
  [79, 10_003],
  [80, 10_008],
  [81, 10_002],
  [89, 10_007],
  [128, 932],
  [129, 949],
  [130, 1361],
  [134, 936],
  [136, 950],
  [161, 1253],
  [162, 1254],
  [163, 1258],
  [177, 1255],
  [178, 1256],
  [186, 1257],
  [204, 1251],
  [222, 874],
  [238, 1250],
  [254, 437],
  [255, 850],
]);

/** The character set of fonts whose codes are those of signs. */
export const symbolCharset = 2;
