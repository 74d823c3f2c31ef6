// The same package as other programs write it: other prefixes, names, quotes, encodings and addresses of its parts.
import { fromBufferPromise } from 'yauzl';
import { zipOf, type ZipEntry } from './zip-files.ts';

/** A part as text. */
export type TextPart = { name: string; content: string };
export type PackageVariant = { name: string; change(part: TextPart): ZipEntry };

/** Rewrites each part of a package of texts. */
export async function repacked(bytes: Uint8Array, change: PackageVariant['change']): Promise<Buffer> {
  const zip = await fromBufferPromise(Buffer.from(bytes), { lazyEntries: true, autoClose: false });
  const entries: ZipEntry[] = [];
  for await (const entry of zip.eachEntry()) {
    const blocks: Uint8Array[] = [];
    for await (const block of await zip.openReadStreamPromise(entry)) blocks.push(block as Uint8Array);
    entries.push(change({ name: entry.fileName, content: Buffer.concat(blocks).toString('utf8') }));
  }
  return zipOf(entries);
}

/** Names the elements of the default namespace with a prefix. */
function withPrefix(content: string, prefix: string): string {
  if (!/<[\w:]+[^<>]*\sxmlns="/.test(content)) return content;
  return content
    .replaceAll(/<(\/?)([A-Za-z]\w*)(?=[\s/>])/g, `<$1${prefix}:$2`)
    .replaceAll(/\sxmlns="/g, ` xmlns:${prefix}="`);
}

/** Renames a prefix that the package declares. */
function renamedPrefix(content: string, from: string, to: string): string {
  return content
    .replaceAll(`xmlns:${from}=`, `xmlns:${to}=`)
    .replaceAll(new RegExp(String.raw`<(/?)${from}:`, 'g'), `<$1${to}:`)
    .replaceAll(new RegExp(String.raw`\s${from}:(\w+)=`, 'g'), ` ${to}:$1=`);
}

const tags = /<[^!?][^<>]*>/g;
const changedTags = (content: string, change: (tag: string) => string): string => content.replaceAll(tags, change);

const isMainFolder = (name: string): boolean => /^(?:word|xl|ppt)\//.test(name);

export const packageVariants: readonly PackageVariant[] = [
  {
    name: 'a prefix where there was none',
    change: ({ name, content }) => ({ name, content: withPrefix(content, 'ns0') }),
  },
  {
    name: 'other prefixes',
    change: ({ name, content }) => {
      const renames = { w: 'word', r: 'relation', p: 'a1', a: 'drawing', x: 'y' };
      return {
        name,
        content: Object.entries(renames).reduce((text, [from, to]) => renamedPrefix(text, from, to), content),
      };
    },
  },
  {
    name: 'apostrophes as quotes, and line ends between attributes',
    change: ({ name, content }) => ({
      name,
      content: changedTags(content, (tag) => tag.replaceAll(/\s([\w:]+)="([^"']*)"/g, "\n\t$1 = '$2'")),
    }),
  },
  {
    name: 'UTF-16 with the lower byte first',
    change: ({ name, content }) => ({
      name,
      content: Buffer.from(`\ufeff${content.replace('encoding="UTF-8"', 'encoding="UTF-16"')}`, 'utf16le'),
    }),
  },
  {
    name: 'UTF-16 with the higher byte first',
    change: ({ name, content }) => ({
      name,
      content: Buffer.from(`\ufeff${content.replace('encoding="UTF-8"', 'encoding="utf-16"')}`, 'utf16le').swap16(),
    }),
  },
  {
    name: 'a byte order mark of UTF-8',
    change: ({ name, content }) => ({ name, content: `\ufeff${content}` }),
  },
  {
    name: 'targets from the root',
    change: ({ name, content }) => {
      const folder = name.replace(/_rels\/[^/]*$/, '');
      const absolute = (target: string): string => new URL(target, `part:///${folder}`).pathname;
      return {
        name,
        content: name.endsWith('.rels')
          ? content.replaceAll(/Target="([^"]*)"/g, (_, target: string) => `Target="${absolute(target)}"`)
          : content,
      };
    },
  },
  {
    name: 'targets with detours',
    change: ({ name, content }) => ({
      name,
      content: name.endsWith('.rels') ? content.replaceAll(/Target="(?!\/)/g, 'Target="./x/../') : content,
    }),
  },
  {
    name: 'names of parts in capitals',
    change: ({ name, content }) => ({ name: isMainFolder(name) ? name.toUpperCase() : name, content }),
  },
  {
    name: 'backslashes in the names of the archive',
    change: ({ name, content }) => ({ name: name.replaceAll('/', '\\'), content }),
  },
  {
    name: 'the strict form of the standard',
    change: ({ name, content }) => ({
      name,
      content: content
        .replaceAll(
          'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
          'http://purl.oclc.org/ooxml/officeDocument/relationships',
        )
        .replaceAll(
          /http:\/\/schemas\.openxmlformats\.org\/(wordprocessingml|spreadsheetml|presentationml|drawingml)\/2006\/main/g,
          'http://purl.oclc.org/ooxml/$1/main',
        ),
    }),
  },
  {
    name: 'parts with other names and in other folders',
    change: ({ name, content }) => {
      const renamed = (path: string): string =>
        path
          .replace(/\b(document|workbook|presentation)\.xml/, 'main.part')
          .replace(/\b(sharedStrings|styles|numbering|footnotes|comments|header|image)\.xml/, '$1-x.xml')
          .replace(/\b(sheet|slide|notesSlide|slideLayout|slideMaster)(\d+)\.xml/, '$1 no $2é.xml');
      const percent = (path: string): string => renamed(path).replaceAll(' ', '%20').replaceAll('é', '%C3%A9');
      const isList = name.endsWith('.rels') || name.startsWith('[');
      return {
        name: renamed(name),
        content: isList
          ? content.replaceAll(
              /(Target|PartName)="([^"]*)"/g,
              (_, key: string, path: string) => `${key}="${percent(path)}"`,
            )
          : content,
      };
    },
  },
  {
    name: 'no content types',
    change: ({ name, content }) => (name.startsWith('[') ? { name, content: '<Types/>' } : { name, content }),
  },
];
