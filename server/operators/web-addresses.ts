// Each repetition is of a single character class and lookbehinds are short: time is linear in the length. Chinese
// characters belong to an address if they begin a part of it (/wiki/中文), otherwise to the sentence (…/page查看).
const urls =
  /(?<![a-z\d])(?:(?:https?|ftps?|sftp|wss?|git|ssh|svn|rtsp):\/\/|www\d?\.(?=[a-z\d-]{1,63}\.))(?:[^\s<>"'`{}|\\^\u2018-\u201f\u2026\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+|(?<=[/=#?&_.:-])[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+)+/gi;
const sentenceEnd = /[.,;:!?*_)\]]+$/;

/** Replaces each web address by `replace(address)`; the punctuation that ends a sentence stays. */
export function replaceWebAddresses(text: string, replace: (found: string) => string): string {
  return text.replace(urls, (found) => {
    const address = found.slice(0, endOfAddress(found));
    return /^www|:\/\/[^/?#]/i.test(address) ? replace(address) + found.slice(address.length) : found;
  });
}

/** Where an address ends: before trailing punctuation, but after a bracket that it opened itself. */
function endOfAddress(found: string): number {
  const end = found.length - (sentenceEnd.exec(found.slice(-100))?.[0].length ?? 0);
  const opened = /\([^()]*$/.test(found.slice(Math.max(0, end - 200), end)) && found[end] === ')';
  return opened ? end + 1 : end;
}
