/** Most languages and characters that are read of a header. */
const maxLanguages = 8;
const maxCharacters = 500;

/** The languages of an `Accept-Language` header (RFC 9110, 12.5.4) as BCP 47 tags, the preferred one first. */
export function languagesOf(header: string | undefined): string[] {
  if (header === undefined || header.length > maxCharacters) return [];
  const given = header.split(',').flatMap((item) => {
    const [, tag = '', quality = '1'] =
      /^\s*([a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i.exec(item) ?? [];
    return tag === '' || Number(quality) === 0 ? [] : [{ tag, quality: Number(quality) }];
  });
  return given
    .toSorted((one, other) => other.quality - one.quality)
    .slice(0, maxLanguages)
    .map(({ tag }) => tag);
}
