import { epubOf, openDocumentOf } from '../../tests/support/document-files.ts';
import { testReadings } from '../../tests/support/document-readings.ts';

const html = 'About 10<sup>6</sup> cells of CO<sub>2</sub>, the 1<sup>st</sup> x<sup>a+b</sup>';
const markdown = 'About 10⁶ cells of CO₂, the 1st x^(a+b)';

testReadings([
  {
    name: 'raised and lowered text of a web page',
    type: 'html',
    bytes: Buffer.from(`<!doctype html><meta charset="utf-8"><p>${html}</p>`),
    markdown,
    receipt: { warnings: [] },
  },
  {
    name: 'raised and lowered text of an e-book',
    type: 'epub',
    bytes: epubOf('T', [`<p>${html}</p>`]),
    markdown,
    receipt: { warnings: [] },
  },
  {
    name: 'raised and lowered text of RTF',
    type: 'rtf',
    bytes: Buffer.from(String.raw`{\rtf1 About 10{\super 6} cells of CO{\sub 2}, the 1{\super st} x{\super a+b}}`),
    markdown,
    receipt: { warnings: [] },
  },
  {
    name: 'raised text of OpenDocument',
    type: 'odt',
    bytes: openDocumentOf(
      'text',
      '<office:text><text:p>10<text:span text:style-name="up">6</text:span> cells</text:p></office:text>',
      '<style:style style:name="up" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>',
    ),
    markdown: '10⁶ cells',
    receipt: { warnings: [] },
  },
]);
