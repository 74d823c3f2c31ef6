// Documents from Debian packages: real ones, made by many programs in many languages. apt downloads them, and they are
// unpacked into a folder; nothing is installed.
import { execFile } from 'node:child_process';
import { copyFile, glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';

const execute = promisify(execFile);

/** Kind, package, and the files to take from it. */
const wanted: readonly (readonly [kind: string, name: string, files: readonly string[]])[] = [
  ['PDF manual', 'debian-policy', ['fhs-3.0.pdf.gz']],
  ['PDF manual', 'developers-reference', ['developers-reference.pdf']],
  ['PDF manual', 'docbook-xsl-doc-pdf', ['doc/reference.pdf.gz']],
  ['PDF manual', 'debian-history', ['project-history.{en,de,ru}.pdf']],
  ['PDF manual', 'lhs2tex', ['Guide2.pdf']],
  ['PDF manual', 'ubuntu-packaging-guide-pdf', ['ubuntu-packaging-guide.pdf.gz']],
  ['PDF manual, landscape', 'live-manual-pdf', ['live-manual.landscape.{en,fr}.letter.pdf.gz']],
  ['PDF paper, two columns', 'r-cran-rcpp', ['Rcpp/doc/Rcpp-{extending,introduction,modules,quickref,sugar}.pdf']],
  ['PDF, CJK', 'debian-history', ['project-history.{ja,ko}.pdf']],
  ['PDF, CJK', 'debian-reference-zh-cn', ['debian-reference.zh-cn.pdf']],
  ['PDF, CJK', 'debian-edu-doc-zh-cn', ['debian-edu-bullseye-manual.pdf']],
  ['PDF, CJK', 'auto-multiple-choice-doc-pdf', ['auto-multiple-choice.ja.pdf']],
  ['PDF, columns and tables', 'debian-refcard', ['refcard-{en,de,fr,pl,ru,ja,ko,zh_CN}-a4.pdf.gz']],
  ['PDF, columns and tables', 'r-cran-knitr', ['knitr-refcard.pdf']],
  [
    'PDF, tables',
    'r-cran-xtable',
    ['site-library/xtable/doc/{xtableGallery,listOfTablesGallery,OtherPackagesGallery}.pdf'],
  ],
  ['PDF, tables', 'texlive-fonts-recommended-doc', ['{txfontsdoc,pxfontsdoc,euro}.pdf']],
  ['PDF form', 'cups-filters', ['form_{english,russian}.pdf']],
  ['PDF form', 'auto-multiple-choice-doc-pdf', ['sample-{amc,plain,separate}.pdf']],
  ['Word', 'r-cran-officer', ['example.docx']],
  ['OpenDocument text', 'live-manual-odf', ['live-manual.{en,de,ja,pl}.odt']],
  ['OpenDocument text', 'cups-filters', ['form_english_in.odt']],
  ['slides', 'r-cran-officer', ['example.pptx']],
  ['sheets', 'r-cran-readxl', ['{clippy,deaths,geometry,type-me}.xlsx']],
  ['sheets', 'r-cran-openxlsx', ['{loadExample,namedRegions,readTest,inlineStr}.xlsx']],
  ['EPUB', 'debian-history', ['project-history.{en,ja,ru}.epub']],
  ['EPUB', 'debian-policy', ['policy.epub']],
  ['EPUB', 'developers-reference', ['developers-reference.epub']],
  ['HTML', 'debian-policy', ['debconf_specification.html', 'copyright-format-1.0.html']],
  ['HTML', 'developers-reference', ['best-pkging-practices.html', 'resources.html']],
  ['HTML', 'debian-faq-ja', ['{pkg-basics,choosing}.ja.html']],
];

export type PackageDocument = { kind: string; path: string };

/**
 * Downloads the packages, or only those in `only`, and copies their documents into a folder. Returns the reason if this
 * machine has no mirror that lists them.
 */
export async function takePackageDocuments(
  directory: string,
  only: readonly string[] = wanted.map(([, name]) => name),
): Promise<PackageDocument[] | { missing: string }> {
  const names = [...new Set(only)];
  const archives = join(directory, 'archives');
  const documents = join(directory, 'package-documents');
  await mkdir(archives, { recursive: true });
  await mkdir(documents, { recursive: true });
  try {
    await execute('apt-cache', ['show', '--no-all-versions', ...names]);
  } catch (error) {
    return { missing: `apt does not know the packages: ${String(error).split('\n')[0]}` };
  }
  // A mirror that lists the packages must deliver them.
  await execute('apt-get', ['download', ...names], { cwd: archives });
  for await (const archive of glob('*.deb', { cwd: archives })) {
    await execute('dpkg-deb', ['-x', archive, archive.slice(0, archive.indexOf('_'))], { cwd: archives });
  }
  const found: PackageDocument[] = [];
  for (const [kind, name, files] of wanted) {
    if (!names.includes(name)) continue;
    for (const file of files) {
      const paths: string[] = [];
      for await (const path of glob(`**/${file}`, { cwd: join(archives, name) })) paths.push(path);
      if (paths.length === 0) throw new Error(`${name} has no ${file} any more`);
      for (const path of paths.toSorted()) {
        const target = join(documents, `${name}-${basename(path).replace(/\.gz$/, '')}`);
        const source = join(archives, name, path);
        if (extname(path) === '.gz') await writeFile(target, gunzipSync(await readFile(source)));
        else await copyFile(source, target);
        found.push({ kind, path: target });
      }
    }
  }
  return found;
}
