import { readFile } from 'node:fs/promises';
import type { PdfFindings } from './pdf-findings.ts';

/**
 * A file that pdf.js requests by name: a character map (Adobe's CMaps), or a substitute for a standard font that is not
 * embedded.
 */
type BinaryRequest = { kind: string; filename: string };

const folders: Readonly<Record<string, URL>> = {
  cMapUrl: new URL('../../cmaps/', import.meta.resolve('pdfjs-dist/legacy/build/pdf.mjs')),
  standardFontDataUrl: new URL('../../standard_fonts/', import.meta.resolve('pdfjs-dist/legacy/build/pdf.mjs')),
};

/** The character collection of an encoding, by its name; from the lists in ISO 32000-2, 9.7.5.2. */
const collections: readonly (readonly [encoding: RegExp, collection: string])[] = [
  [/^(?:UniGB|GB)/, 'Adobe-GB1'],
  [/^(?:UniCNS|B5|HK|ET|CNS)/, 'Adobe-CNS1'],
  [/^(?:UniJIS|83pv|90|Add|EUC|Ext|H$|V$)/, 'Adobe-Japan1'],
  [/^(?:UniKS|KSC)/, 'Adobe-Korea1'],
];

/**
 * Returns the class that pdf.js instantiates per document, which loads such files from pdf.js's own package. Without
 * them, text in Chinese, Japanese and Korean fonts that are not embedded is lost.
 */
export function binaryFilesFor(
  findings: PdfFindings,
): new () => { fetch: (request: BinaryRequest) => Promise<Uint8Array> } {
  return class {
    /** The collection of the last requested encoding. */
    #collection: string | undefined;

    fetch = async ({ kind, filename }: BinaryRequest): Promise<Uint8Array> => {
      const folder = folders[kind];
      if (folder === undefined) throw new Error(`There is no ${kind}`);
      // The name comes from the document, so it is untrusted.
      if (!/^[\w-]+(?:\.\w+)?$/.test(filename)) throw new Error(`${filename} is no name of a file`);
      return new Uint8Array(await readFile(new URL(kind === 'cMapUrl' ? this.#resolve(filename) : filename, folder)));
    };

    /**
     * A font may declare the encoding of one language and the characters of another (ReportLab writes its MSung-Light
     * this way: codes of UniGB, characters of CNS1). The text was written in the codes.
     */
    #resolve(filename: string): string {
      const toUnicode = /^(Adobe-\w+)-UCS2(?=\.)/.exec(filename);
      const collection = this.#collection;
      this.#collection = toUnicode === null ? collections.find(([name]) => name.test(filename))?.[1] : undefined;
      if (toUnicode === null || collection === undefined || collection === toUnicode[1]) return filename;
      findings.contradictoryFonts += 1;
      return filename.replace(/^Adobe-\w+(?=-UCS2)/, collection);
    }
  };
}
