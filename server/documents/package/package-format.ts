import type { OfficePackage } from './office-package.ts';
import { rootOf } from './xml-events.ts';

/** The formats of Office Open XML. */
export type PackageFormat = 'docx' | 'xlsx' | 'pptx';

const contentTypes: readonly (readonly [type: RegExp, format: PackageFormat])[] = [
  [/(?:wordprocessingml|ms-word)\..*\bmain\+xml$/i, 'docx'],
  [/(?:spreadsheetml|ms-excel)\..*\bmain\+xml$/i, 'xlsx'],
  [/(?:presentationml|ms-powerpoint)\..*\bmain\+xml$/i, 'pptx'],
];

/** The usual names of main parts, for packages that declare no content types. */
const names: Readonly<Record<string, PackageFormat>> = {
  'word/document.xml': 'docx',
  'xl/workbook.xml': 'xlsx',
  'ppt/presentation.xml': 'pptx',
};

const roots: Readonly<Record<string, PackageFormat>> = {
  'w:document': 'docx',
  'x:workbook': 'xlsx',
  'p:presentation': 'pptx',
};

/** The format of a package by the content type of its main part, or else by its name or its first element. */
export async function formatOfPackage(found: OfficePackage): Promise<PackageFormat | undefined> {
  const main = await found.mainPart();
  if (main === undefined) return undefined;
  const type = await found.contentTypeOf(main);
  const declared = contentTypes.find(([pattern]) => pattern.test(type))?.[1] ?? names[main];
  return declared ?? roots[(await rootOf(await found.stream(main))) ?? ''];
}
