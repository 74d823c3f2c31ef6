// The pdf.js given to officeparser (see pdf-resolution.ts). It adds the character maps and fonts of pdf.js's package,
// for which officeparser has no option, and examines each page's drawing operators to take ruled tables out of the
// text.
import * as pdfjs from 'pdfjs-dist/legacy/build/pdf.mjs';
import { binaryFilesFor } from './character-maps.ts';
import { examinePage } from './page-drawing.ts';
import { currentFindings } from './pdf-findings.ts';
import { arrangeText } from './page-text.ts';

export * from 'pdfjs-dist/legacy/build/pdf.mjs';

type DocumentSource = Exclude<Parameters<typeof pdfjs.getDocument>[0], undefined>;

/** Opens a document like pdf.js's `getDocument`; findings are recorded for the current read. */
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
      const isTagged = hasReliableTags(document);
      // Reading the first page reports this error.
      isTagged.catch(() => {});
      document.getPage = async (pageNumber) => {
        const page = await getPage(pageNumber);
        const lines = await examinePage(page, findings);
        arrangeText(page, lines, await isTagged, findings);
        return page;
      };
    },
    // The caller that opens the document receives the error.
    () => undefined,
  );
  return task;
}

/** Whether a document's tags describe its text reliably; officeparser then follows them. */
async function hasReliableTags(document: pdfjs.PDFDocumentProxy): Promise<boolean> {
  try {
    const info = (await document.getMarkInfo()) as { Marked?: boolean; Suspects?: boolean } | null;
    return info?.Marked === true && info.Suspects !== true;
  } catch {
    return false;
  }
}
