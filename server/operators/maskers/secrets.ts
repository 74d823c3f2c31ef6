// Finds credentials by the prefixes that their issuers publish, and by the words before them. Every repetition is
// bounded and one class of characters follows another: time is linear in the length of the text.
import { inAllForms } from './character-forms.ts';
import type { Masker } from './masker.ts';

/** Issuers mark their keys so that scanners can find them; each format is documented by its issuer. */
const marked = [
  // Amazon, Google, Alibaba Cloud, Tencent Cloud, DigitalOcean, Databricks
  String.raw`(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}`,
  String.raw`AIza[\w-]{35}`,
  String.raw`ya29\.[\w-]{20,250}`,
  String.raw`GOCSPX-[\w-]{28}`,
  String.raw`LTAI[A-Za-z0-9]{12,24}`,
  String.raw`AKID[A-Za-z0-9]{28,36}`,
  // Storage keys of Azure, shared access signatures; HashiCorp Vault, JFrog Artifactory
  String.raw`(?<=(?:Account|SharedAccess)Key=)[A-Za-z0-9+/]{30,100}={0,2}`,
  String.raw`(?<=[?&;]sig=)[A-Za-z0-9%+/=]{30,120}`,
  String.raw`hv[sbr]\.[\w-]{20,250}`,
  String.raw`AKC[a-zA-Z0-9]{30,90}`,
  String.raw`do[opr]_v1_[a-f0-9]{64}`,
  String.raw`dapi[a-f0-9]{32}`,
  // GitHub, GitLab, npm, PyPI, Docker
  String.raw`gh[pousr]_[A-Za-z0-9]{36,251}`,
  String.raw`github_pat_\w{60,90}`,
  String.raw`gl(?:pat|dt|ptt|rt|soat|cbt)-[\w-]{20,60}`,
  String.raw`npm_[A-Za-z0-9]{36}`,
  String.raw`pypi-AgE[\w-]{50,250}`,
  String.raw`dckr_pat_[\w-]{20,60}`,
  // OpenAI, Anthropic, DeepSeek and others; Hugging Face, Replicate, Groq
  String.raw`sk-(?:proj-|ant-(?:api|admin)\d\d-|svcacct-|or-v1-)?(?=[\w-]{0,40}\d)[\w-]{20,250}`,
  String.raw`hf_[A-Za-z]{34}`,
  String.raw`r8_[A-Za-z0-9]{37}`,
  String.raw`gsk_[A-Za-z0-9]{52}`,
  // Stripe, Slack, SendGrid, Mailgun, Twilio, Mailchimp, Discord, Shopify, Telegram, Square
  String.raw`[srp]k_(?:live|test)_[A-Za-z0-9]{16,120}`,
  String.raw`whsec_[A-Za-z0-9+/]{32,64}`,
  String.raw`xox[abeprs]-[A-Za-z0-9-]{10,200}`,
  String.raw`xapp-\d-[A-Za-z0-9-]{20,200}`,
  String.raw`SG\.[\w-]{22}\.[\w-]{43}`,
  String.raw`key-[a-f0-9]{32}`,
  String.raw`(?:SK|AC)[a-f0-9]{32}`,
  String.raw`[a-f0-9]{32}-us\d{1,2}`,
  String.raw`(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)T\w{7,12}\/[\w/]{16,80}`,
  String.raw`(?<=discord(?:app)?\.com\/api\/webhooks\/)\d{17,20}\/[\w-]{60,80}`,
  String.raw`[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}`,
  String.raw`shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`,
  String.raw`\d{8,10}:AA[\w-]{33}`,
  String.raw`sq0(?:atp|csp)-[\w-]{22,43}`,
  // JSON Web Tokens (RFC 7519): two objects in base64url, a signature
  String.raw`eyJ[\w-]{8,8000}\.eyJ[\w-]{8,8000}\.[\w-]{16,1000}`,
].join('|');
const markedKeys = new RegExp(String.raw`(?<![\w.-])(?:${marked})(?![\w-])`, 'g');

const pemBegin = /-----BEGIN (?:[A-Z\d]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** A truncated key: the base64 lines after its first line. */
const pemBody =
  /(?:\n[A-Z][\w-]{2,20}: [^\n]{1,100}){0,4}(?:(?:\\n|\s){1,4}[A-Za-z\d+/]{32,100}={0,2}(?![\w+/=])){1,300}(?:(?:\\n|\s)[A-Za-z\d+/]{2,75}={1,2}(?![\w+/=]))?/y;

/** The password in `scheme://user:password@host`. */
const addressPassword =
  /(?<=[a-z][a-z\d+.-]{1,30}:\/\/[\w.%+-]{0,80}:)(?!\d{1,5}\/)[^\s:@'"<>${}]{3,100}(?=@[\w.[-])/gi;

/** Values after a command-line option, between tags, and after curl's user option. */
const option =
  /--(?<option>pass(?:word|wd|phrase)|pwd|token|api-key|secret(?:-key)?|access-(?:key|token))\s{1,3}["']?(?<value>[^\s"'<>,;]{6,300})/gi;
const tagged =
  /<(?<tag>[\w.:-]{0,30}(?:pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key)[\w.:-]{0,20})>(?<value>[^<>\s]{6,300})<\/\k<tag>>/gi;
const curlUser = /\bcurl\b[^\n|;]{0,200}?\s(?:-u|--user)[ =]?["']?[\w.@+-]{1,64}:(?<value>[^\s"'<>@]{4,100})/g;

const header = /(?<=\b(?:Bearer|Basic|token|Authorization:?)\s{1,3}["']?)[\w+/.~-]{20,2000}={0,2}(?![\w+/])/gi;

const named =
  /(?:(?<password>passw(?:or)?d|passwd|pwd|passphrase|密码|口令)|api[_-]?key|secret(?:[_-]?(?:access)?[_-]?key)?|access[_-]?(?:key|token)|auth[_-]?(?:key|token)|private[_-]?key|client[_-]?secret|token|credentials?|密钥|令牌)(?:[_-]?(?:id|value|key))?["'`]?\s{0,3}(?:[:=：]|=>|:=|为|是)\s{0,3}(?:(?<quote>["'`])(?<quoted>[^"'`\s]{4,300})\k<quote>|(?<plain>[^\s"'`,;，。；<>()[\]{}]{6,300}))/giu;

const placeholder =
  /^(?:x+|\*+|\.+|-+|_+|0+|<.*>|\$.*|%.*|\{.*|your.*|my.*|example.*|change.?me.*|.*placeholder.*|none|null|nil|true|false|undefined|test|secret|pass|password|passwd|string|optional|required|redacted|hidden|\[.*)$/i;

const maskPlainSecrets: Masker = (text, replace) => {
  let masked = maskPrivateKeys(text, replace).replace(markedKeys, (found) =>
    entropyOf(found) < 2.5 ? found : replace(found),
  );
  if (masked.includes('://'))
    masked = masked.replace(addressPassword, (found) => (placeholder.test(found) ? found : replace(found)));
  masked = masked.replace(header, (found) => (isRandom(found) ? replace(found) : found));
  const isEither = (value: string): boolean => isPassword(value, false) || isRandom(value);
  if (masked.includes('--')) masked = replaceValues(masked, option, replace, isEither);
  if (masked.includes('</')) masked = replaceValues(masked, tagged, replace, isEither);
  if (masked.includes('curl')) masked = replaceValues(masked, curlUser, replace, (value) => !isReference(value));
  return replaceValues(masked, named, replace, (value, { password, quoted }, next) => {
    // workloadIdentity.fromX509(…) is a call.
    if (quoted === undefined && next === '(') return false;
    if (password !== undefined) return isPassword(value, quoted !== undefined);
    return isRandom(value) || (quoted !== undefined && isMixed(value));
  });
};

export const maskSecrets = inAllForms(maskPlainSecrets, { hasPercent: true });

type Groups = Readonly<Record<string, string | undefined>>;

/** Replaces a pattern's captured values if they are secrets. `next` is the character after the match. */
function replaceValues(
  text: string,
  pattern: RegExp,
  replace: (found: string) => string,
  isSecret: (value: string, groups: Groups, next: string) => boolean,
): string {
  return text.replace(pattern, (whole: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Groups;
    const value = groups['value'] ?? groups['quoted'] ?? groups['plain'] ?? '';
    if (!isSecret(value, groups, text.charAt(Number(rest.at(-3)) + whole.length))) return whole;
    const at = whole.lastIndexOf(value);
    return whole.slice(0, at) + replace(value) + whole.slice(at + value.length);
  });
}

/** Private keys in PEM (RFC 7468), including their contents. */
function maskPrivateKeys(text: string, replace: (found: string) => string): string {
  if (!text.includes('-----BEGIN ')) return text;
  let masked = '';
  let taken = 0;
  for (const { 0: begin, index } of text.matchAll(pemBegin)) {
    if (index < taken) continue;
    const line = begin.replace('BEGIN', 'END');
    const end = text.slice(index, index + 20_000).indexOf(line);
    let last = index + end + line.length;
    if (end === -1) {
      pemBody.lastIndex = index + begin.length;
      if (!pemBody.test(text)) continue;
      last = pemBody.lastIndex;
    }
    masked += text.slice(taken, index) + replace(text.slice(index, last));
    taken = last;
  }
  return taken === 0 ? text : masked + text.slice(taken);
}

/**
 * A random-looking key: at least 16 characters of base64 or similar, with letters and digits mixed; no word, path or
 * program name.
 */
function isRandom(value: string): boolean {
  if (value.length < 16 || placeholder.test(value) || !/^[\w+/=.~-]+$/.test(value)) return false;
  if (!/\d/.test(value) || !/[a-z]/i.test(value)) return false;
  // Dates, versions and names with a number are text rather than keys.
  const parts = value.split(/[._/-]/).filter((part) => part !== '');
  const isName =
    parts.every((part) => /^(?:[A-Za-z]+\d{0,2}|\d{1,4})$/.test(part)) && parts.every(({ length }) => length < 16);
  return !isName && entropyOf(value) >= (/^[\da-f-]+$/i.test(value) ? 2.8 : 3.3);
}

/** Whether a quoted value is a reference, a pattern or a call. */
function isReference(value: string): boolean {
  return (
    placeholder.test(value) ||
    /\$[({]|\{\{|[#%][({]|\{\w*\}|^[<(^[]|^[\w.]+\(.*\)$|\[[a-z^]-?|\\|::|->|=>|\.{2}|:\/\//i.test(value)
  );
}

/** A long quoted value of letters, digits and other signs, as frameworks generate them. */
function isMixed(value: string): boolean {
  return (
    value.length >= 20 && kindsOf(value) >= 3 && /\d/.test(value) && !isReference(value) && entropyOf(value) >= 3.7
  );
}

/** The number of character kinds in a value: lower case, upper case, digits, others. */
function kindsOf(value: string): number {
  return [/[a-z]/, /[A-Z]/, /\d/, /[^\w\s]/].filter((kind) => kind.test(value)).length;
}

/** A password as written in configuration, not a reference to a variable, call or type. */
function isPassword(value: string, isQuoted: boolean): boolean {
  const kinds = kindsOf(value);
  if (isQuoted && /[()[\]{}<>$]/.test(value))
    return value.length >= 8 && kinds >= 3 && /\d/.test(value) && !isReference(value);
  if (placeholder.test(value) || /[()[\]{}<>$\\]|::|->|=>|\.{2}/.test(value)) return false;
  if (isQuoted)
    return value.length >= 6 && (kinds >= 2 || value.length >= 12) && !/^[A-Z_]+$|^[a-z]+(?:[._-][a-z]+)+$/.test(value);
  return value.length >= 6 && /\d/.test(value) && kinds >= 2 && !/^[a-z_]+(?:\.\w+)+$/i.test(value);
}

/** Shannon entropy in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum -= (count / text.length) * Math.log2(count / text.length);
  return sum;
}
