// The pdf.js that officeparser gets (see pdf-resolution.ts): with the character maps and fonts of its package, for
// which officeparser has no option, and with an examination of each page's drawing operators.
import * as pdfjs from 'pdfjs-dist/legacy/build/pdf.mjs';
import { binaryFilesFor } from './character-maps.ts';
import { examinePage } from './page-drawing.ts';
import { currentFindings } from './pdf-findings.ts';

export * from 'pdfjs-dist/legacy/build/pdf.mjs';

type DocumentSource = Exclude<Parameters<typeof pdfjs.getDocument>[0], undefined>;

/** Opens a document like pdf.js's `getDocument`; findings go to the current reading. */
export function getDocument(source: DocumentSource): pdfjs.PDFDocumentLoadingTask {
  const findings = currentFindings();
  const task = pdfjs.getDocument({
    ...source,
    BinaryDataFactory: binaryFilesFor(findings),
    cMapPacked: true,
    useWorkerFetch: false,
    useSystemFonts: false,
    fontExtraProperties: true,
  });
  void task.promise.then(
    (document) => {
      const getPage = document.getPage.bind(document);
      document.getPage = async (pageNumber) => {
        const page = await getPage(pageNumber);
        await examinePage(page, findings);
        return page;
      };
    },
    // The caller that opens the document receives the error.
    () => undefined,
  );
  return task;
}
