// Real documents of office programs and e-books, as small as their formats allow.
import { zipOf, type ZipEntry } from './zip-files.ts';

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const officeTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageTypes = 'http://schemas.openxmlformats.org/package/2006';

/** Text escaped for XML. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function contentTypes(overrides: Readonly<Record<string, string>>): ZipEntry {
  const parts = Object.entries(overrides).map(
    ([part, type]) =>
      `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
  );
  return {
    name: '[Content_Types].xml',
    content: `${xmlHead}<Types xmlns="${packageTypes}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${parts.join('')}</Types>`,
  };
}

function relationships(
  name: string,
  targets: Readonly<Record<string, readonly [type: string, target: string]>>,
): ZipEntry {
  const lines = Object.entries(targets).map(
    ([id, [type, target]]) => `<Relationship Id="${id}" Type="${officeTypes}/${type}" Target="${target}"/>`,
  );
  return {
    name,
    content: `${xmlHead}<Relationships xmlns="${packageTypes}/relationships">${lines.join('')}</Relationships>`,
  };
}

export type DocxExtras = {
  /** Placeholder of the blocks. */
  body?: string;
  doctype?: string;
  /** Name of another part → its content; `$` becomes a paragraph that names the part; related as rId1, rId2 … */
  parts?: Readonly<Partial<Record<'footnotes' | 'comments' | 'header' | 'styles' | 'numbering' | 'image', string>>>;
};

/** A Word document of paragraphs; an array of arrays is a table. */
export function docxOf(
  blocks: readonly (string | readonly (readonly string[])[])[],
  { body, doctype = '', parts = {} }: DocxExtras = {},
): Buffer {
  const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const roots: Readonly<Record<string, string>> = { header: 'hdr' };
  const more = Object.entries(parts);
  const paragraph = (text: string): string =>
    `<w:p><w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`;
  const written = blocks.map((block) =>
    typeof block === 'string'
      ? paragraph(block)
      : `<w:tbl>${block.map((row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`,
  );
  return zipOf([
    contentTypes({ 'word/document.xml': 'wordprocessingml.document.main' }),
    relationships('_rels/.rels', { rId1: ['officeDocument', 'word/document.xml'] }),
    {
      name: 'word/document.xml',
      content: `${xmlHead}${doctype}<w:document ${word}><w:body>${body ?? written.join('')}</w:body></w:document>`,
    },
    relationships(
      'word/_rels/document.xml.rels',
      Object.fromEntries(more.map(([part], index) => [`rId${index + 1}`, [part, `${part}.xml`] as const])),
    ),
    ...more.map(([part, content]) => ({
      name: `word/${part}.xml`,
      content: `${xmlHead}<w:${roots[part] ?? part} ${word}>${content.replaceAll('$', paragraph(`in ${part}`))}</w:${roots[part] ?? part}>`,
    })),
  ]);
}

export type PptxExtras = {
  /** Text styles of the master, and the list style of its body. */
  masterStyles?: string;
  masterBody?: string;
  /** List style of the layout's body. */
  layoutBody?: string;
};

/**
 * A PowerPoint presentation: per slide its paragraphs, each in its own shape, and its speaker notes; `body` are the
 * paragraphs of one shape as XML.
 */
export function pptxOf(
  slides: readonly { texts: readonly string[]; notes?: string; body?: string; isHidden?: boolean }[],
  extras?: PptxExtras,
): Buffer {
  const spaces = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${officeTypes}" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`;
  const shapes = (texts: readonly string[], kind: string): string =>
    `<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${texts
      .map(
        (text, index) =>
          `<p:sp><p:nvSpPr><p:cNvPr id="${index + 2}" name="Text ${index}"/><p:cNvSpPr/><p:nvPr><p:ph type="${kind}"${index === 0 ? '' : ` idx="${index}"`}/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>${escapeXml(text)}</a:t></a:r></a:p></p:txBody></p:sp>`,
      )
      .join('')}</p:spTree></p:cSld>`;
  const bodyShape = (styles: string, paragraphs: string): string =>
    `<p:sp><p:nvSpPr><p:cNvPr id="99" name="Body"/><p:cNvSpPr/><p:nvPr><p:ph type="body" idx="9"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle>${styles}</a:lstStyle>${paragraphs}</p:txBody></p:sp>`;
  const treeOf = (shape: string): string => `<p:cSld><p:spTree>${shape}</p:spTree></p:cSld>`;
  const numbered = slides.map((slide, index) => ({ ...slide, number: index + 1 }));
  const noted = numbered.filter(({ notes }) => notes !== undefined);
  return zipOf([
    contentTypes({
      'ppt/presentation.xml': 'presentationml.presentation.main',
      ...Object.fromEntries(numbered.map(({ number }) => [`ppt/slides/slide${number}.xml`, 'presentationml.slide'])),
      ...Object.fromEntries(
        noted.map(({ number }) => [`ppt/notesSlides/notesSlide${number}.xml`, 'presentationml.notesSlide']),
      ),
    }),
    relationships('_rels/.rels', { rId1: ['officeDocument', 'ppt/presentation.xml'] }),
    {
      name: 'ppt/presentation.xml',
      content: `${xmlHead}<p:presentation ${spaces}><p:sldIdLst>${numbered.map(({ number }) => `<p:sldId id="${255 + number}" r:id="rId${number}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    },
    relationships(
      'ppt/_rels/presentation.xml.rels',
      Object.fromEntries(
        numbered.map(({ number }) => [`rId${number}`, ['slide', `slides/slide${number}.xml`] as const]),
      ),
    ),
    ...numbered.map(({ number, texts, body, isHidden }) => ({
      name: `ppt/slides/slide${number}.xml`,
      content: `${xmlHead}<p:sld ${spaces}${isHidden === true ? ' show="0"' : ''}>${body === undefined ? shapes(texts, 'body') : treeOf(bodyShape('', body))}</p:sld>`,
    })),
    ...(extras === undefined
      ? []
      : [
          ...numbered.map(({ number }) =>
            relationships(`ppt/slides/_rels/slide${number}.xml.rels`, {
              rId1: ['slideLayout', '../slideLayouts/slideLayout1.xml'],
            }),
          ),
          relationships('ppt/slideLayouts/_rels/slideLayout1.xml.rels', {
            rId1: ['slideMaster', '/ppt/slideMasters/slideMaster1.xml'],
          }),
          {
            name: 'ppt/slideLayouts/slideLayout1.xml',
            content: `${xmlHead}<p:sldLayout ${spaces}>${treeOf(bodyShape(extras.layoutBody ?? '', '<a:p/>'))}</p:sldLayout>`,
          },
          {
            name: 'ppt/slideMasters/slideMaster1.xml',
            content: `${xmlHead}<p:sldMaster ${spaces}>${treeOf(bodyShape(extras.masterBody ?? '', '<a:p/>'))}<p:txStyles>${extras.masterStyles ?? ''}</p:txStyles></p:sldMaster>`,
          },
        ]),
    ...noted.flatMap(({ number, notes = '' }) => [
      relationships(`ppt/slides/_rels/slide${number}.xml.rels`, {
        rId1: ['notesSlide', `../notesSlides/notesSlide${number}.xml`],
      }),
      {
        name: `ppt/notesSlides/notesSlide${number}.xml`,
        content: `${xmlHead}<p:notes ${spaces}>${shapes([notes], 'body')}</p:notes>`,
      },
    ]),
  ]);
}

export type XlsxCell =
  | string
  | number
  | { formula: string; value?: number | string }
  | { value: number; style: number };

/**
 * An Excel workbook: name of a sheet → its rows; `formats` are those of the styles from 1 on, as codes or built-in
 * numbers.
 */
export function xlsxOf(
  sheets: Readonly<Record<string, readonly (readonly XlsxCell[])[]>>,
  formats: readonly (string | number)[] = [],
  hidden: readonly string[] = [],
): Buffer {
  const names = Object.keys(sheets);
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const cell = (value: XlsxCell, at: string): string => {
    if (typeof value === 'number') return `<c r="${at}"><v>${value}</v></c>`;
    if (typeof value === 'object' && 'style' in value)
      return `<c r="${at}" s="${value.style}"><v>${value.value}</v></c>`;
    if (typeof value === 'object')
      return `<c r="${at}"><f>${escapeXml(value.formula)}</f><v>${value.value ?? ''}</v></c>`;
    return `<c r="${at}" t="inlineStr"><is><t>${escapeXml(value)}</t></is></c>`;
  };
  return zipOf([
    contentTypes({
      'xl/workbook.xml': 'spreadsheetml.sheet.main',
      ...Object.fromEntries(
        names.map((_, index) => [`xl/worksheets/sheet${index + 1}.xml`, 'spreadsheetml.worksheet']),
      ),
    }),
    relationships('_rels/.rels', { rId1: ['officeDocument', 'xl/workbook.xml'] }),
    {
      name: 'xl/workbook.xml',
      content: `${xmlHead}<workbook xmlns="${main}" xmlns:r="${officeTypes}"><sheets>${names.map((name, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}"${hidden.includes(name) ? ' state="hidden"' : ''} r:id="rId${index + 1}"/>`).join('')}</sheets></workbook>`,
    },
    relationships(
      'xl/_rels/workbook.xml.rels',
      Object.fromEntries([
        ...names.map(
          (_, index) => [`rId${index + 1}`, ['worksheet', `worksheets/sheet${index + 1}.xml`] as const] as const,
        ),
        ['styles', ['styles', 'styles.xml'] as const] as const,
      ]),
    ),
    {
      name: 'xl/styles.xml',
      content: `${xmlHead}<styleSheet xmlns="${main}"><numFmts>${formats.map((format, index) => (typeof format === 'number' ? '' : `<numFmt numFmtId="${170 + index}" formatCode="${escapeXml(format).replaceAll('"', '&quot;')}"/>`)).join('')}</numFmts><cellXfs><xf numFmtId="0"/>${formats.map((format, index) => `<xf numFmtId="${typeof format === 'number' ? format : 170 + index}"/>`).join('')}</cellXfs></styleSheet>`,
    },
    ...Object.values(sheets).map((rows, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: `${xmlHead}<worksheet xmlns="${main}"><sheetData>${rows
        .map(
          (row, at) =>
            `<row r="${at + 1}">${row.map((value, column) => cell(value, `${String.fromCharCode(65 + column)}${at + 1}`)).join('')}</row>`,
        )
        .join('')}</sheetData></worksheet>`,
    })),
  ]);
}

/** An OpenDocument file; `content` is the content of `office:body`. */
export function openDocumentOf(
  kind: 'text' | 'text-web' | 'spreadsheet' | 'presentation',
  content: string,
  styles = '',
): Buffer {
  const space = (name: string): string =>
    `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name === 'draw' ? 'drawing' : name}:1.0"`;
  const type = `application/vnd.oasis.opendocument.${kind}`;
  return zipOf([
    { name: 'mimetype', content: type, isStored: true },
    {
      name: 'content.xml',
      content: `${xmlHead}<office:document-content ${['office', 'text', 'table', 'draw', 'presentation', 'style'].map(space).join(' ')} office:version="1.2"><office:automatic-styles>${styles}</office:automatic-styles><office:body>${content}</office:body></office:document-content>`,
    },
    {
      name: 'META-INF/manifest.xml',
      content: `${xmlHead}<manifest:manifest ${space('manifest')}><manifest:file-entry manifest:full-path="/" manifest:media-type="${type}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`,
    },
  ]);
}

/** An OpenDocument text of paragraphs, followed by one table if rows are given. */
export function odtOf(paragraphs: readonly string[], rows: readonly (readonly string[])[] = []): Buffer {
  const paragraph = (text: string): string => `<text:p>${escapeXml(text)}</text:p>`;
  const table = `<table:table>${rows.map((row) => `<table:table-row>${row.map((cell) => `<table:table-cell>${paragraph(cell)}</table:table-cell>`).join('')}</table:table-row>`).join('')}</table:table>`;
  return openDocumentOf(
    'text',
    `<office:text>${paragraphs.map(paragraph).join('')}${rows.length === 0 ? '' : table}</office:text>`,
  );
}

/** An EPUB of chapters, each the inside of a body. */
export function epubOf(title: string, chapters: readonly string[]): Buffer {
  return zipOf([
    { name: 'mimetype', content: 'application/epub+zip', isStored: true },
    {
      name: 'META-INF/container.xml',
      content: `${xmlHead}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    },
    {
      name: 'OEBPS/book.opf',
      content: `${xmlHead}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">x</dc:identifier><dc:title>${escapeXml(title)}</dc:title><dc:language>en</dc:language></metadata><manifest>${chapters.map((_, index) => `<item id="c${index}" href="c${index}.xhtml" media-type="application/xhtml+xml"/>`).join('')}</manifest><spine>${chapters.map((_, index) => `<itemref idref="c${index}"/>`).join('')}</spine></package>`,
    },
    ...chapters.map((chapter, index) => ({
      name: `OEBPS/c${index}.xhtml`,
      content: `${xmlHead}<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${index}</title></head><body>${chapter}</body></html>`,
    })),
  ]);
}
