// Documents of Debian packages, in English and Chinese: downloaded by apt and unpacked into a folder; nothing is
// installed. Word, PowerPoint and Excel files are made from some of their texts.
import { execFile } from 'node:child_process';
import { glob, mkdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { docxOf, pptxOf, xlsxOf } from '../support/document-files.ts';

const execute = promisify(execFile);

/** A document of the campaign; `title` is the title in its HTML, for questions. */
export type CampaignDocument = { name: string; content: Uint8Array; title?: string; isHostile?: true };

/** Package, the files to take from it, and the maximum number. */
const wanted: readonly (readonly [name: string, files: string, most: number])[] = [
  ['python3.11-doc', 'html/**/*.html', 300],
  ['debian-policy', '**/*.{html,pdf.gz,txt.gz}', 60],
  ['debian-reference-zh-cn', '**/*.{html,pdf}', 20],
  ['debian-reference-en', '**/*.{html,pdf}', 20],
  ['debian-faq', '**/*.{html,pdf.gz,txt.gz}', 20],
  ['texlive-latex-base-doc', '**/*.pdf', 100],
  ['r-cran-officer', '**/*.{docx,pptx}', 10],
  ['r-cran-readxl', '**/*.xlsx', 10],
  ['r-cran-openxlsx', '**/*.xlsx', 20],
  ['libreoffice-help-zh-cn', '**/text/**/*.html', 1000],
];
/** Texts that office files are made from: sources of pages of Python's manual whose HTML is not used. */
const sources = ['python3.11-doc', '**/_sources/**/*.txt'] as const;
const made = { txt: 80, docx: 60, pptx: 30, xlsx: 30 };
const largestBytes = 1_500_000;

/** `count` documents, always the same; or the reason why there are none. */
export async function takePackageDocuments(
  directory: string,
  count: number,
): Promise<CampaignDocument[] | { missing: string }> {
  const archives = join(directory, 'archives');
  await mkdir(archives, { recursive: true });
  const names = wanted.map(([name]) => name);
  try {
    await execute('apt-cache', ['show', '--no-all-versions', ...names]);
  } catch (error) {
    return { missing: `apt does not know the packages: ${String(error).split('\n')[0]}` };
  }
  // A mirror that lists the packages must deliver them.
  await execute('apt-get', ['download', ...names], { cwd: archives });
  for await (const archive of glob('*.deb', { cwd: archives }))
    await execute('dpkg-deb', ['-x', archive, archive.slice(0, archive.indexOf('_'))], { cwd: archives });

  const texts = await pathsOf(archives, sources[0], sources[1]);
  const half = texts.filter((_path, index) => index % 2 === 1);
  const stems = new Set(half.map((path) => stemOf(path)));
  const documents: CampaignDocument[] = [];
  let next = 0;
  for (const [type, most] of Object.entries(made) as [keyof typeof made, number][])
    for (let taken = 0; taken < most && next < half.length; next += 1, taken += 1) {
      const path = half[next] ?? '';
      const content = await readFile(path);
      documents.push({ name: `${stemOf(path)}.${type}`, content: officeOf(type, content) });
    }
  for (const [name, files, most] of wanted) {
    let taken = 0;
    for (const path of await pathsOf(archives, name, files)) {
      if (taken === most || documents.length === count) break;
      if (name === sources[0] && stems.has(stemOf(path))) continue;
      const document = await read(name, path);
      if (document === undefined) continue;
      documents.push(document);
      taken += 1;
    }
  }
  if (documents.length < count) throw new Error(`The packages have ${documents.length} documents, not ${count}`);
  return documents;
}

async function pathsOf(archives: string, name: string, files: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of glob(`**/${files}`, { cwd: join(archives, name), withFileTypes: true }))
    if (entry.isFile()) paths.push(join(entry.parentPath, entry.name));
  return paths.toSorted();
}

async function read(from: string, path: string): Promise<CampaignDocument | undefined> {
  const packed = await readFile(path);
  const content = extname(path) === '.gz' ? gunzipSync(packed) : packed;
  if (content.length === 0 || content.length > largestBytes) return undefined;
  const name = `${from}-${path.split('/').slice(-2, -1).join('')}-${basename(path).replace(/\.gz$/, '')}`;
  if (!name.endsWith('.html')) return { name, content };
  const title = /<title[^>]*>([^<]*)/i.exec(content.toString())?.[1]?.split(/ — | - |: Python/)[0] ?? '';
  return { name, content, title: title.replaceAll(/&#?\w+;|\s+/g, ' ').trim() };
}

function stemOf(path: string): string {
  const parts = path.split('/');
  return `${parts.at(-2)}-${(parts.at(-1) ?? '').replace(/(\.rst)?\.\w+$/, '')}`;
}

function officeOf(type: keyof typeof made, content: Buffer): Uint8Array {
  const paragraphs = content
    .toString()
    .replaceAll(/[^\P{C}\n]/gu, ' ')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll('\n', ' ').trim())
    .filter((paragraph) => paragraph !== '')
    .slice(0, 400);
  switch (type) {
    case 'docx':
      return docxOf(paragraphs);
    case 'pptx':
      return pptxOf(
        Array.from({ length: Math.ceil(paragraphs.length / 6) }, (_, at) => ({
          texts: paragraphs.slice(at * 6, at * 6 + 6),
        })),
      );
    case 'xlsx':
      return xlsxOf({ Texts: paragraphs.map((paragraph, row) => [row + 1, paragraph]) });
    case 'txt':
      return content;
  }
}
