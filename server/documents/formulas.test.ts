import assert from 'node:assert/strict';
import { test } from 'node:test';
import temml from 'temml';
import { docxOf, epubOf } from '../../tests/support/document-files.ts';
import { zipOf } from '../../tests/support/zip-files.ts';
import { readDocument } from './document-reader.ts';
import { documentLimits } from './receipt.ts';

const run = (text: string, properties = ''): string => `<m:r>${properties}<m:t>${text}</m:t></m:r>`;
const part = (name: string, inner: string): string => `<m:${name}>${inner}</m:${name}>`;
const e = (text: string): string => part('e', run(text));

/** A fraction of Office without its bar; of another type if it is given. */
const noBar = (over: string, under: string, type = 'noBar'): string =>
  part('f', `<m:fPr><m:type m:val="${type}"/></m:fPr>${part('num', over)}${part('den', under)}`);
const delimited = (begin: string, inner: string, end: string): string =>
  part('d', `<m:dPr><m:begChr m:val="${begin}"/><m:endChr m:val="${end}"/></m:dPr>${part('e', inner)}`);
const thin = (over: string, under: string, width = '0'): string =>
  `<mfrac linethickness="${width}">${over}${under}</mfrac>`;
const [n, k] = ['<mi>n</mi>', '<mi>k</mi>'];

/** Formulas of Office, and their LaTeX. */
const office: readonly [omml: string, latex: string][] = [
  [part('f', part('num', run('a')) + part('den', run('λ'))), String.raw`\frac{a}{λ}`],
  [part('sSup', e('c') + part('sup', run('2'))), 'c^2'],
  [part('rad', part('deg', run('3')) + e('x')), String.raw`\sqrt[3]{x}`],
  [part('acc', e('v')), String.raw`\hat{v}`],
  [run('e', '<m:rPr><m:sty m:val="b"/></m:rPr>'), String.raw`\mathbf{e}`],
  [part('nary', '<m:naryPr><m:chr m:val="⋀"/></m:naryPr>' + e('x')), String.raw`\bigwedge x`],
  [part('nary', part('sub', run('0')) + part('sup', run('1')) + e('dx')), String.raw`\int_0^1dx`],
  [part('d', e('a') + e('b')), '(a,b)'],
  [part('func', part('fName', run('sin')) + e('x')), String.raw`\operatorname{sin}{x}`],
  [
    run('x^2 ~ 50 % &amp; a_1 &lt; b \\ {c}'),
    String.raw`x\text{\textasciicircum}2 \sim  50 \% \& a\_1 \lt  b \backslash  \{c\}`,
  ],
  [
    part('m', part('mr', e('1') + e('2')) + part('mr', e('3') + e('4'))),
    String.raw`\begin{matrix}1 & 2 \\ 3 & 4\end{matrix}`,
  ],
  [part('eqArr', e('a=1') + e('b=2')), String.raw`\begin{aligned}a=1 \\ b=2\end{aligned}`],
  [part('d', part('e', noBar(run('n'), run('k')))), String.raw`\binom{n}{k}`],
  [delimited('(', noBar(run('n+1'), run('{k}')), ')'), String.raw`\binom{n+1}{\{k\}}`],
  [noBar(run('a'), run('b')), String.raw`\genfrac{}{}{0pt}{}{a}{b}`],
  [delimited('[', noBar(run('n'), run('k')), ']'), String.raw`[\genfrac{}{}{0pt}{}{n}{k}]`],
  [part('d', part('e', noBar(run('a'), run('b')) + run('+c'))), String.raw`(\genfrac{}{}{0pt}{}{a}{b}+c)`],
  [part('d', part('e', noBar(run('a'), run('b'))) + e('c')), String.raw`(\genfrac{}{}{0pt}{}{a}{b},c)`],
  [
    part('d', part('e', noBar(run('n'), part('d', part('e', noBar(run('m'), run('k'))))))),
    String.raw`\binom{n}{\binom{m}{k}}`,
  ],
  [
    part('sSup', part('e', part('d', part('e', noBar(run('n'), run('k'))))) + part('sup', run('2'))),
    String.raw`{\binom{n}{k}}^2`,
  ],
  [part('d', part('e', noBar(run('n'), run('k'), 'bar'))), String.raw`(\frac{n}{k})`],
];

/** MathML, and its LaTeX. */
const mathml: readonly [inner: string, latex: string][] = [
  ['<mfrac><mi>a</mi><mi>λ</mi></mfrac>', String.raw`\frac{a}{λ}`],
  ['<mi>m</mi><mo>⋅</mo><msup><mi>c</mi><mn>2</mn></msup>', String.raw`m\cdot c^2`],
  ['<mover><mi>v</mi><mo>^</mo></mover>', String.raw`\hat{v}`],
  ['<mi mathvariant="bold">e</mi>', String.raw`\mathbf{e}`],
  ['<mi>sin</mi><mi>x</mi>', String.raw`\sin x`],
  [
    '<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>',
    String.raw`\sum_{i=1}^ni`,
  ],
  [
    '<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>y</mi><mn>3</mn></mroot>',
    String.raw`\sqrt{x+1}\sqrt[3]{y}`,
  ],
  ['<msup><mrow><mo>(</mo><mi>a</mi><mo>)</mo></mrow><mn>10</mn></msup>', '{(a)}^{10}'],
  ['<mtext>if 5 % of {x}</mtext>', String.raw`\text{if 5 \% of \{x\}}`],
  [
    '<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>',
    String.raw`\begin{matrix}1 & 2 \\ 3\end{matrix}`,
  ],
  ['<mmultiscripts><mi>C</mi><mn>6</mn><none/><mprescripts/><none/><mn>12</mn></mmultiscripts>', '{}^{12}C_6'],
  [
    '<munder><mi>x</mi><mi>y</mi></munder><mo>&lt;</mo><mfenced><mi>a</mi><mi>b</mi></mfenced>',
    String.raw`\underset{y}{x}\lt (a,b)`,
  ],
  [
    '<semantics><mi>wrong</mi><annotation encoding="application/x-tex">{\\displaystyle \\alpha}</annotation></semantics>',
    String.raw`\alpha`,
  ],
  [`<mo>(</mo>${thin(n, k)}<mo>)</mo>`, String.raw`\binom{n}{k}`],
  [`<mfenced>${thin(n, k, '0pt')}</mfenced>`, String.raw`\binom{n}{k}`],
  [`${thin(n, k, '0.0em')}<mo>)</mo>`, String.raw`\genfrac{}{}{0pt}{}{n}{k})`],
  [`<mi>a</mi><mo>(</mo>${thin(n, k)}<mo>)</mo>${k}`, String.raw`a\binom{n}{k}k`],
  [`<mo>(</mo>${thin(n, k, '1px')}<mo>)</mo>`, String.raw`(\frac{n}{k})`],
];

function check(markdown: string, latex: string): void {
  assert.equal(markdown, `$${latex.replaceAll(/ +/g, ' ')}$`);
  assert.doesNotThrow(() => temml.renderToString(latex, { throwOnError: true }));
}

for (const [omml, latex] of office) {
  test(`a formula of Office is LaTeX: ${latex}`, async () => {
    const math = '<w:p><m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">';
    const { markdown } = await readDocument(
      docxOf([], { body: `${math}${omml}</m:oMath></w:p>` }),
      'docx',
      documentLimits,
    );
    check(markdown.replaceAll(/ +/g, ' '), latex);
  });
}

for (const [inner, latex] of mathml) {
  test(`a formula of a page and of a book is LaTeX: ${latex}`, async () => {
    const math = `<p><math xmlns="http://www.w3.org/1998/Math/MathML">${inner}</math></p>`;
    check((await readDocument(Buffer.from(`<html>${math}</html>`), 'html', documentLimits)).markdown, latex);
    check((await readDocument(epubOf('t', [math]), 'epub', documentLimits)).markdown, latex);
  });
}

test('a formula of OpenDocument, which is a part of its own, is LaTeX', async () => {
  const spaces = ['office', 'text', 'drawing'].map(
    (name) => `xmlns:${name === 'drawing' ? 'draw' : name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  );
  const named = spaces.join(' ');
  const content = `<office:document-content ${named} xmlns:xlink="http://www.w3.org/1999/xlink"><office:body><office:text><text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p></office:text></office:body></office:document-content>`;
  const math =
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>E</mi><mo>=</mo><mi>m</mi><mo>⋅</mo><msup><mi>c</mi><mn>2</mn></msup></math>';
  const bytes = zipOf([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text', isStored: true },
    { name: 'content.xml', content },
    { name: 'Object 1/content.xml', content: math },
  ]);
  check((await readDocument(bytes, 'odt', documentLimits)).markdown, String.raw`E=m\cdot c^2`);
});
