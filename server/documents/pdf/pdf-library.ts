// pdf.js as officeparser gets it (see pdf-resolution.ts): with the character maps and fonts of its package, which officeparser has no
// option for, and with an eye on what each page draws.
import * as pdfjs from 'pdfjs-dist/legacy/build/pdf.mjs';
import { binaryFilesFor } from './character-maps.ts';
import { examinePage } from './page-drawing.ts';
import { currentFindings } from './pdf-findings.ts';

export * from 'pdfjs-dist/legacy/build/pdf.mjs';

type DocumentSource = Exclude<Parameters<typeof pdfjs.getDocument>[0], undefined>;

/** Opens a document as `getDocument` of pdf.js does; what is found in it goes to the findings of the reading under way. */
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
    // Whoever opens the document hears of it.
    () => undefined,
  );
  return task;
}
