import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocument } from './document-reader.ts';
import { documentLimits } from './receipt.ts';

async function read(rtf: string): Promise<{ markdown: string; warnings: string[] }> {
  const { markdown, receipt } = await readDocument(Buffer.from(rtf, 'latin1'), 'rtf', documentLimits);
  return { markdown, warnings: receipt.warnings };
}

const raw = String.raw;
const fonts = raw`{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset2 Symbol;}{\f3\fcharset128 MS Gothic;}{\f4\fcharset238 Arial CE;}}`;

/** What stands in a document, and what is read of it. */
const texts: readonly [rtf: string, text: string][] = [
  [raw`1939\endash 1945, yes\emdash no`, '1939–1945, yes—no'],
  [raw`\lquote a\rquote  \ldblquote b\rdblquote`, '‘a’ “b”'],
  [raw`\bullet  item, 5\~kg, e\_mail, hy\-phen`, '• item, 5\u00a0kg, e\u2011mail, hyphen'],
  [raw`a\enspace b\emspace c\qmspace d`, 'a\u2002b\u2003c\u2005d'],
  [raw`a\zwj b\zwnj c\zwbo d`, 'a\u200db\u200cc\u200bd'],
  [raw`\{x\} \\ \'7b`, '{x} \\ {'],
  [raw`Price {\deleted 100}{\revised 250} euros`, 'Price 250 euros'],
  [raw`Price \deleted 100 \deleted0 250`, 'Price 250'],
  [raw`10{\super 6} H{\sub 2}O x{\up6 2} y{\dn6 1}`, '10⁶ H₂O x² y₁'],
  [raw`\u8364? \u8364\'80 {\uc0\u8364}5 {\uc2\u8364??}6`, '€ € €5 €6'],
  [raw`\u-10179?\u-8704?`, '😀'],
  [raw`\f1 \'cf\'f0\'e8\'e2\'e5\'f2 \f0 caf\'e9`, 'Привет café'],
  [raw`\f2 a\'b3b \u-3999?`, 'α≥β α'],
  [raw`\f3 \'82\'b1\'82\'f1 \'83\'5c`, 'こん ソ'],
  [raw`\f4 \'9aum`, 'šum'],
  [raw`{\field{\*\fldinst HYPERLINK "https://x.example/"}{\fldrslt here}}`, '[here](https://x.example/)'],
  [raw`{\field{\*\fldinst SYMBOL 97 \\f "Symbol" \\s 10}{\fldrslt}}`, 'α'],
  [raw`{\upr{old}{\*\ud{new}}}`, 'new'],
  [raw`{\*\unknown left out}kept {\*\shpinst{\sp{\sn n}{\sv v}}{\shptxt box\par}}`, 'kept\n\nbox'],
  [raw`one\line two\par three`, 'one  \ntwo\n\nthree'],
  ['one\\\ntwo', 'one\n\ntwo'],
  [raw`{\b bold} {\i it}{\i alic} {\strike old}`, '**bold** *italic* ~~old~~'],
  [raw`\hyphpar0{\*\cs7\cf0 text}{a\*\cs7 b}`, 'ab'],
  [raw`{\xe index}{\tc contents}{\bkmkstart x}text`, 'text'],
  [
    raw`{\listtext\f2\'b7\tab}\ls1 one\par{\listtext 2.\tab}\ls1 two\par{\listtext (a)\tab}\ls1\ilvl1 three`,
    '- one\n2. two\n    - (a) three',
  ],
  [raw`{\pard\fi-360 1.\tab one\par}{\pard\fi-360 Article 1:\tab two\par}`, '1. one\n\nArticle 1:\ttwo'],
  [
    raw`{\stylesheet{\s1 heading 1;}{\s2\outlinelevel1 Own;}}\pard\s1 A\par\pard\s2 B\par\pard\outlinelevel2 C\par`,
    '# A\n\n## B\n\n### C',
  ],
  [raw`\pard\keepn\dropcapli3\dropcapt1{\fs116\dn9 D}\par\pard rop cap.\par next`, 'Drop cap.\n\nnext'],
  [raw`one\par{\pard\dropcapli2\dropcapt2\up4 \ldblquote D\par}{\pard rop\rdblquote  it.\par}`, 'one\n\n“Drop” it.'],
  [raw`\pard\dropcapli2\dropcapt1 A\par\pard\dropcapli2\dropcapt1 D\par\pard rop`, 'A\n\nDrop'],
  [raw`\pard\dropcapli2\dropcapt1 D\par\pard\par rop`, 'D\n\nrop'],
  [
    raw`\pard\dropcapli2\dropcapt1 D\par\trowd\cellx100\pard\intbl rop\cell\row\pard end`,
    'D\n\n| rop |\n| --- |\n\nend',
  ],
  [
    raw`\trowd\cellx100\pard\intbl\dropcapli2\dropcapt1 D\par\pard\intbl rop\cell\row\pard end`,
    '| Drop |\n| --- |\n\nend',
  ],
  [raw`\trowd\cellx100\cellx200\pard\intbl\dropcapli2 D\cell\pard\intbl rop\cell\row`, '| D | rop |\n| --- | --- |'],
  [raw`one\par\pard\dropcapli2\dropcapt1 D\par`, 'one\n\nD'],
  [raw`\pard\dropcapli0\dropcapt0 one\par two`, 'one\n\ntwo'],
  [raw`text{\super\chftn}{\footnote\chftn  the note}.`, 'text[^1].\n\n[^1]: the note'],
];
for (const [rtf, text] of texts) {
  test(`reads ${rtf.replaceAll('\n', '↵')}`, async () => {
    const whole = await read(raw`{\rtf1\ansi\ansicpg1252\deff0${fonts} ${rtf}}`);
    assert.equal(whole.markdown, text);
  });
}

const encodings: readonly [header: string, bytes: string, text: string][] = [
  [raw`\ansi\ansicpg1251`, raw`\'cf\'f0\'e8`, 'При'],
  [raw`\ansi\ansicpg936`, raw`\'d6\'d0`, '中'],
  [raw`\ansi\ansicpg65001`, '\xc3\xa4', 'ä'],
  [raw`\mac`, raw`caf\'8e`, 'café'],
  [raw`\pc`, raw`caf\'82`, 'café'],
  [raw`\pca`, raw`\'b5`, 'Á'],
  [raw`\ansi`, raw`caf\'e9 \'93x\'94`, 'café “x”'],
  [raw`\ansi\ansicpg1252`, "Gr\xc3\xb6\xc3\x9fe caf\\'e9", 'Größe café'],
];
for (const [header, bytes, text] of encodings) {
  test(`reads the bytes of a document in ${header}`, async () => {
    assert.deepEqual(await read(raw`{\rtf1${header} ${bytes}}`), { markdown: text, warnings: [] });
  });
}

test('names what is guessed, hidden, deleted and not read', async () => {
  const cyrillic = Buffer.from('c7e4f0e0e2f1f2e2f3e9f2e52c20fdf2ee20f0f3f1f1eae8e920f2e5eaf1f2', 'hex').toString(
    'latin1',
  );
  assert.deepEqual(await read(raw`{\rtf1\ansi ${cyrillic}}`), {
    markdown: 'Здравствуйте, это русский текст',
    warnings: ['the encoding of the text is not declared: WINDOWS-1251 is a guess'],
  });
  assert.deepEqual(
    await read(raw`{\rtf1\ansi seen {\v secret} {\deleted gone}{\object{\*\objdata 00}}{\header top}}`),
    {
      markdown: 'seen secret',
      warnings: [
        '1 running header or footer left out',
        'text that tracked changes delete left out: 4 characters',
        'text that the document hides is part of the text: 6 characters',
        'an embedded object was not read',
      ],
    },
  );
  assert.deepEqual((await read(raw`{\rtf1\ansi\ansicpg10006 \'e9}`)).warnings, [
    'text in code page 10006, which can not be decoded: WINDOWS-1252 is a guess',
  ]);
});

test('reads merged cells, rows that are defined behind their cells, and tables in cells', async () => {
  const merged = raw`{\rtf1\ansi\trowd\clvmgf\cellx1\cellx2\pard\intbl a\cell b\cell\row\trowd\clvmrg\cellx1\cellx2\pard\intbl\cell c\cell\row\trowd\clmgf\cellx1\clmrg\cellx2 d\cell\cell\row\pard end}`;
  assert.equal((await read(merged)).markdown, '| a | b |\n| --- | --- |\n|  | c |\n| d |  |\n\nend');
  const nested = raw`{\rtf1\ansi\pard\intbl\itap1 a\par\pard\intbl\itap2 x\nestcell y\nestcell{\*\nesttableprops\trowd\cellx1\cellx2\nestrow}{\nonesttables\par}\pard\intbl\itap1 b\cell{\trowd\cellx3\row}\pard end}`;
  assert.equal((await read(nested)).markdown, '| a x y b |\n| --- |\n\nend');
});
