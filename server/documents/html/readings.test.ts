import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epubOf } from '../../../tests/support/document-files.ts';
import { readDocument } from '../document-reader.ts';
import { documentLimits } from '../receipt.ts';

const cases: readonly [html: string, text: string][] = [
  ['<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>', '漢字'],
  ['<ruby>東京<rt>とうきょう</rt></ruby>に<ruby>行<rt>い</rt></ruby>く', '東京に行く'],
  ['<ruby>北<rp>(</rp><rt>běi</rt><rp>)</rp>京<rp>(</rp><rt>jīng</rt><rp>)</rp></ruby>市', '北京市'],
  ['<ruby><rb>山</rb><rb>田</rb><rt>やま</rt><rt>だ</rt></ruby>さん', '山田さん'],
  ['<ruby><rb>旧金山</rb><rtc><rt>jiù</rt><rt>jīn</rt><rt>shān</rt></rtc><rtc>San Francisco</rtc></ruby>', '旧金山'],
  ['<ruby>漢<rt>かん<rt>ㄏㄢˋ</ruby>字', '漢字'],
  ['<ruby><rb>漢<rb>字<rp>(<rt>かん<rt>じ<rp>)</ruby>は', '漢字は'],
  ['<ruby><ruby>攻<rt>こう</rt>殻<rt>かく</rt></ruby><rt>shell</rt></ruby>', '攻殻'],
  ['<RUBY>漢<RT>かん</RT></RUBY>', '漢'],
  ['<ruby>\n  漢\n  <rt>かん</rt>\n  字\n  <rt>じ</rt>\n</ruby>', '漢字'],
  ['a <ruby>base text<rt>reading</rt></ruby> b', 'a base text b'],
  ['<ruby><b>漢</b><rt><i>かん</i></rt></ruby>', '**漢**'],
  ['<ruby><span>漢<rt>かん</rt></span></ruby>', '漢'],
  ['<ruby>漢字</ruby>とrt', '漢字とrt'],
];

for (const [html, text] of cases) {
  test(`of text with a reading, the text is read: ${JSON.stringify(html)}`, async () => {
    const page = `<html><body><p>${html}</p></body></html>`;
    const mail = `Subject: s\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${page}`;
    const read = async (bytes: Buffer, format: 'html' | 'epub' | 'eml'): Promise<string> =>
      (await readDocument(bytes, format, documentLimits)).markdown.trim();
    assert.equal(await read(Buffer.from(page), 'html'), text);
    const book = html.replaceAll(/<(\/?)(RUBY|RT)>/g, (tag) => tag.toLowerCase());
    assert.equal(await read(epubOf('t', [`<p>${book}</p>`]), 'epub'), text);
    assert.equal((await read(Buffer.from(mail), 'eml')).split('\n').at(-1), text);
  });
}

test('a reading outside of its element is text', async () => {
  const { markdown } = await readDocument(Buffer.from('<p>漢<rt>かん</rt></p>'), 'html', documentLimits);
  assert.equal(markdown, '漢かん');
});
