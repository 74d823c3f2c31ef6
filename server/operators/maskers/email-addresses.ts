// Finds e-mail addresses by their form. Every repetition is bounded and unambiguous: time is linear in the length of the
// text.
import { inAllForms } from './character-forms.ts';
import type { Masker } from './masking.ts';

// RFC 5322 atext, without the characters that more often quote or separate an address than belong to it. Perl and its
// manuals write `name\@host`.
const email =
  /(?:(?<![\w.%+-])[\w%+-](?:[\w.%+'&-]{0,62}[\w%+-])?|(?<![\p{L}\p{N}_.%+-])\p{Script=Han}{1,6})\\?@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:[a-z]{2,24}|xn--[a-z0-9-]{2,59}|\p{Script=Han}{2,8})(?![a-z\d]|[_-]{1,20}[a-z\d])/giu;
/** The user in a URL: ssh://git@host. */
const userOfAddress = /(?<!mailto):\/\/[^\s/@]{0,80}$/i;

// File extensions and systemd unit types that look like a domain: icon@2x.png, getty@tty1.service. None is a top-level
// domain.
const fileEndings = new Set(
  (
    'png jpg jpeg gif webp svg ico bmp tif tiff psd js mjs cjs ts jsx tsx css scss sass less html htm xhtml json yaml yml toml xml ' +
    'txt csv tsv log tgz gz xz zst tar jar war exe dll lib cpp hpp lock patch diff service socket timer mount target slice ' +
    'path scope device swap conf cfg ini bak tmp orig deb rpm whl gem map snap sock pid mp mp3 mp4 wav pdf doc docx xls xlsx ppt pptx'
  ).split(' '),
);

export const maskEmails: Masker = inAllForms((text, replace) =>
  text.includes('@')
    ? text.replace(email, (found, at: number) => {
        const ending = found.slice(found.lastIndexOf('.') + 1).toLowerCase();
        // git@host.example:team/project addresses a repository.
        const isRepository = /^:[\w~/.-]*[a-z~/]/i.test(text.slice(at + found.length, at + found.length + 80));
        if (fileEndings.has(ending) || isRepository || userOfAddress.test(text.slice(Math.max(0, at - 90), at)))
          return found;
        // _jane@example.org_ is emphasis.
        const isMarked = found.startsWith('_') && text[at + found.length] === '_';
        return isMarked ? `_${replace(found.slice(1))}` : replace(found);
      })
    : text,
);
