import type { BlobReader } from '../../../storage/blobs/blob-store.ts';
import { ArchiveError } from './archive-limits.ts';
import { readZipDirectory } from './zip-directory.ts';

/** Extensions of formats that are zip containers: their parts are of no use alone. */
const containers =
  'docx docm dotx dotm xlsx xlsm xlsb xltx xltm xlam pptx pptm potx potm ppsx ppsm thmx vsdx vsdm xps oxps odt ott odm ods ots odp otp odg otg odf odb ' +
  'sxw sxc sxi epub pages numbers key idml 3mf usdz kmz jar war ear aar apk aab ipa xpi whl egg nupkg vsix npz pt pth keras';

const containerTypes: ReadonlySet<string> = new Set(containers.split(' '));

/** Whether a file's name says that it is a document or program in a zip container. */
export function isContainerName(fileName: string): boolean {
  const extension = /\.([^./]+)$/.exec(fileName)?.[1]?.toLowerCase();
  return extension !== undefined && containerTypes.has(extension);
}

/** Parts that only documents have, wherever their writer puts them: of Office (ECMA-376 part 2), EPUB (OCF), OpenDocument. */
const ownParts: ReadonlySet<string> = new Set(['[content_types].xml', 'meta-inf/container.xml']);
const mediaTypePart = 'mimetype';
const manifestPart = 'meta-inf/manifest.xml';

/** Whether a zip is a document, by the names of its parts; false where its directory can't be read. */
export async function holdsDocument(reader: BlobReader): Promise<boolean> {
  const found = new Set<string>();
  try {
    const directory = await readZipDirectory(reader, () => undefined);
    for await (const { nameRaw } of directory.entries()) {
      const name = nameRaw.toString('latin1').toLowerCase();
      if (ownParts.has(name)) return true;
      if (name === mediaTypePart || name === manifestPart) found.add(name);
      if (found.size === 2) return true;
    }
    return false;
  } catch (error) {
    // The unpacker will say what is wrong with it.
    if (error instanceof ArchiveError) return false;
    throw error;
  }
}
