import { getDocument, PDFWorker, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
// Vite turns this import into a worker.
// oxlint-disable-next-line import/default
import PdfThread from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?worker';

// Character maps, fonts and decoders that a PDF may need, served by this server.
const files = new Map(
  Object.entries({
    ...import.meta.glob<string>('../../../node_modules/pdfjs-dist/cmaps/*.bcmap', {
      query: '?url',
      import: 'default',
      eager: true,
    }),
    ...import.meta.glob<string>('../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}', {
      query: '?url',
      import: 'default',
      eager: true,
    }),
    ...import.meta.glob<string>('../../../node_modules/pdfjs-dist/wasm/{jbig2,openjpeg,qcms_bg}.wasm', {
      query: '?url',
      import: 'default',
      eager: true,
    }),
  }).map(([path, url]) => [path.slice(path.lastIndexOf('/') + 1), url]),
);

/** Serves the files that pdf.js requests by name. */
class BundledFiles {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const url = files.get(filename);
    if (url === undefined) throw new Error(`There is no ${filename}`);
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${filename}: HTTP ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }
}

export type OpenedPdf = { document: Promise<PDFDocumentProxy>; close: () => void };

/** Opens a PDF by its address in its own worker; its bytes are read in ranges, as pages need them. */
export function openPdf(url: string): OpenedPdf {
  const thread = new PdfThread();
  const task = getDocument({
    url,
    worker: PDFWorker.create({ port: thread }),
    disableAutoFetch: true,
    disableStream: true,
    rangeChunkSize: 256 * 1024,
    enableXfa: false,
    BinaryDataFactory: BundledFiles,
    cMapUrl: 'bundled/',
    standardFontDataUrl: 'bundled/',
    wasmUrl: 'bundled/',
  });
  return {
    document: task.promise,
    close() {
      void task.destroy().finally(() => thread.terminate());
    },
  };
}
