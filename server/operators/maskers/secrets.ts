// Finds credentials by the prefixes that their issuers publish, and by the words before them. Every repetition is
// bounded and one class of characters follows another: time is linear in the length of the text.
import type { Masker } from './masking.ts';

/** Issuers mark their keys so that scanners find them; each is documented by the issuer. */
const marked = [
  // Amazon, Google, Alibaba Cloud, Tencent Cloud, DigitalOcean, Databricks
  String.raw`(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}`,
  String.raw`AIza[\w-]{35}`,
  String.raw`ya29\.[\w-]{20,250}`,
  String.raw`GOCSPX-[\w-]{28}`,
  String.raw`LTAI[A-Za-z0-9]{12,24}`,
  String.raw`AKID[A-Za-z0-9]{28,36}`,
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
  // Stripe, Slack, SendGrid, Mailgun, Twilio, Shopify, Telegram, Square
  String.raw`[srp]k_(?:live|test)_[A-Za-z0-9]{16,120}`,
  String.raw`whsec_[A-Za-z0-9+/]{32,64}`,
  String.raw`xox[abeprs]-[A-Za-z0-9-]{10,200}`,
  String.raw`xapp-\d-[A-Za-z0-9-]{20,200}`,
  String.raw`SG\.[\w-]{22}\.[\w-]{43}`,
  String.raw`key-[a-f0-9]{32}`,
  String.raw`SK[a-f0-9]{32}`,
  String.raw`shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`,
  String.raw`\d{8,10}:AA[\w-]{33}`,
  String.raw`sq0(?:atp|csp)-[\w-]{22,43}`,
  // JSON Web Tokens (RFC 7519): two objects in base64url, a signature
  String.raw`eyJ[\w-]{8,8000}\.eyJ[\w-]{8,8000}\.[\w-]{16,1000}`,
].join('|');
const markedKeys = new RegExp(String.raw`(?<![\w.-])(?:${marked})(?![\w-])`, 'g');

const pemBegin = /-----BEGIN (?:[A-Z\d]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** `scheme://user:password@host`: the password. */
const addressPassword =
  /(?<=[a-z][a-z\d+.-]{1,30}:\/\/[\w.%+-]{0,80}:)(?!\d{1,5}\/)[^\s:@'"<>${}]{3,100}(?=@[\w.[-])/gi;

const header = /(?<=\b(?:Bearer|Basic|token|Authorization:?)\s{1,3}["']?)[\w+/.~-]{20,2000}={0,2}(?![\w+/])/gi;

const named =
  /(?:(?<password>passw(?:or)?d|passwd|pwd|passphrase|密码|口令)|api[_-]?key|secret(?:[_-]?(?:access)?[_-]?key)?|access[_-]?(?:key|token)|auth[_-]?(?:key|token)|private[_-]?key|client[_-]?secret|token|credentials?|密钥|令牌)(?:[_-]?(?:id|value|key))?["'`]?\s{0,3}(?:[:=：]|=>|:=|为|是)\s{0,3}(?:(?<quote>["'`])(?<quoted>[^"'`\s]{4,300})\k<quote>|(?<plain>[^\s"'`,;，。；<>()[\]{}]{6,300}))/giu;

const placeholder =
  /^(?:x+|\*+|\.+|-+|_+|0+|<.*>|\$.*|%.*|\{.*|your.*|my.*|example.*|change.?me.*|.*placeholder.*|none|null|nil|true|false|undefined|test|secret|pass|password|passwd|string|optional|required|redacted|hidden|\[.*)$/i;

export const maskSecrets: Masker = (text, replace) => {
  let masked = maskPrivateKeys(text, replace).replace(markedKeys, (found) =>
    entropyOf(found) < 2.5 ? found : replace(found),
  );
  if (masked.includes('://'))
    masked = masked.replace(addressPassword, (found) => (placeholder.test(found) ? found : replace(found)));
  masked = masked.replace(header, (found) => (isRandom(found) ? replace(found) : found));
  return masked.replace(named, (whole, ...rest: unknown[]) => {
    const { password, quoted, plain } = rest.at(-1) as Record<string, string | undefined>;
    const value = quoted ?? plain ?? '';
    const isSecret = password === undefined ? isRandom(value) : isPassword(value, quoted !== undefined);
    if (!isSecret) return whole;
    const at = whole.lastIndexOf(value);
    return whole.slice(0, at) + replace(value) + whole.slice(at + value.length);
  });
};

/** Private keys in PEM (RFC 7468), with what stands between their two lines. */
function maskPrivateKeys(text: string, replace: (found: string) => string): string {
  if (!text.includes('-----BEGIN ')) return text;
  let masked = '';
  let taken = 0;
  for (const { 0: begin, index } of text.matchAll(pemBegin)) {
    if (index < taken) continue;
    const line = begin.replace('BEGIN', 'END');
    const end = text.slice(index, index + 20_000).indexOf(line);
    if (end === -1) continue;
    masked += text.slice(taken, index) + replace(text.slice(index, index + end + line.length));
    taken = index + end + line.length;
  }
  return taken === 0 ? text : masked + text.slice(taken);
}

/** A key: 16 characters or more of base64 or the like, letters and digits mixed, no word, path or name of a program. */
function isRandom(value: string): boolean {
  if (value.length < 16 || placeholder.test(value) || !/^[\w+/=.~-]+$/.test(value)) return false;
  if (!/\d/.test(value) || !/[a-z]/i.test(value)) return false;
  // A date, a version or a name with a number: parts of a sentence rather than a key.
  const parts = value.split(/[._/-]/).filter((part) => part !== '');
  const isName =
    parts.every((part) => /^(?:[A-Za-z]+\d{0,2}|\d{1,4})$/.test(part)) && parts.every(({ length }) => length < 16);
  return !isName && entropyOf(value) >= (/^[\da-f-]+$/i.test(value) ? 2.8 : 3.3);
}

/** A password as it is written in configuration: no reference to a variable, call or type. */
function isPassword(value: string, isQuoted: boolean): boolean {
  if (placeholder.test(value) || /[()[\]{}<>$\\]|::|->|=>|\.{2}/.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^\w\s]/].filter((kind) => kind.test(value)).length;
  if (isQuoted)
    return value.length >= 6 && (kinds >= 2 || value.length >= 12) && !/^[A-Z_]+$|^[a-z]+(?:[._-][a-z]+)+$/.test(value);
  return value.length >= 6 && /\d/.test(value) && kinds >= 2 && !/^[a-z_]+(?:\.\w+)+$/i.test(value);
}

/** Shannon's entropy in bits a character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum -= (count / text.length) * Math.log2(count / text.length);
  return sum;
}
