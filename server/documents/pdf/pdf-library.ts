// The pdf.js given to officeparser (see pdf-resolution.ts). It adds the character maps and fonts of pdf.js's package,
// for which officeparser has no option, and examines each page's drawing operators to take ruled tables out of the
// text.
import * as pdfjs from 'pdfjs-dist/legacy/build/pdf.mjs';
import { annotationItems } from './annotations.ts';
import { binaryFilesFor } from './character-maps.ts';
import { examinePage, type PdfLayers } from './page-drawing.ts';
import { currentFindings, type PdfFindings } from './pdf-findings.ts';
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
      const layers = examineDocument(document, findings);
      // Reading the first page reports this error.
      isTagged.catch(() => {});
      document.getPage = async (pageNumber) => {
        const page = await getPage(pageNumber);
        const lines = await examinePage(page, findings, await layers);
        const written = await annotationItems(page, findings);
        arrangeText(page, lines, await isTagged, findings, written);
        return page;
      };
    },
    // The caller that opens the document receives the error.
    () => undefined,
  );
  return task;
}

/** Records what hangs on the whole document; returns its layers. */
async function examineDocument(
  document: pdfjs.PDFDocumentProxy,
  findings: PdfFindings,
): Promise<PdfLayers | undefined> {
  try {
    const files = (await document.getAttachments()) as
      | Iterable<[string, AttachedFile]>
      | Record<string, AttachedFile>
      | null;
    const listed = files === null ? [] : Symbol.iterator in files ? [...files] : Object.entries(files);
    for (const [name, file] of listed) findings.attachments.add(file.filename ?? name);
    const { info } = await document.getMetadata();
    findings.hasXfa = (info as { IsXFAPresent?: boolean }).IsXFAPresent === true;
    return await document.getOptionalContentConfig();
  } catch {
    // A file that can't be opened has its own error; these parts of another one may be damaged alone.
    findings.brokenAnnotations += 1;
    return undefined;
  }
}

type AttachedFile = { filename?: string };

/** Whether a document's tags describe its text reliably; officeparser then follows them. */
async function hasReliableTags(document: pdfjs.PDFDocumentProxy): Promise<boolean> {
  try {
    const info = (await document.getMarkInfo()) as { Marked?: boolean; Suspects?: boolean } | null;
    return info?.Marked === true && info.Suspects !== true;
  } catch {
    return false;
  }
}
