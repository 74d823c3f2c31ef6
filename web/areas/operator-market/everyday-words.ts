/** Groups of synonyms, in English and Chinese: first the words in operators' names, then those that people type. */
const sameWords: readonly (readonly string[])[] = [
  ['remove', 'removes', 'take out', 'drop', 'delete', 'erase', 'strip', 'clean', 'clear', 'rid'],
  ['normalize', 'normalise', 'fix', 'repair', 'tidy', 'collapse', 'clean', 'remove'],
  ['mask', 'masks', 'hide', 'anonymize', 'anonymise', 'redact', 'censor', 'pseudonymize', 'remove'],
  ['filter', 'drops', 'keeps', 'keep only', 'throw', 'discard', 'exclude', 'skip'],
  ['web addresses', 'web address', 'url', 'link', 'hyperlink', 'website'],
  ['email', 'mail'],
  ['phone', 'telephone', 'mobile', 'cellphone'],
  ['personal data', 'pii', 'privacy', 'private', 'gdpr', 'sensitive'],
  ['duplicate', 'same text', 'dedup', 'dedupe', 'deduplicate', 'double', 'repeated', 'copy', 'copies'],
  ['near-duplicate', 'similar', 'alike', 'fuzzy'],
  ['images', 'image', 'picture', 'photo', 'photograph', 'pixels'],
  ['resize', 'smaller', 'larger', 'shrink', 'scale', 'thumbnail', 'size'],
  ['metadata', 'exif', 'gps', 'location', 'position', 'camera', 'privacy'],
  ['crop', 'cut', 'trim', 'part'],
  ['convert', 'format', 'jpeg', 'jpg', 'png', 'webp', 'avif', 'gif'],
  ['turn', 'rotate', 'upright', 'orientation', 'flip'],
  ['grey', 'gray', 'black and white', 'colourless', 'grayscale'],
  ['brightness', 'dark', 'bright', 'light', 'lighter', 'darker', 'exposure'],
  ['colours', 'colors', 'saturation', 'vivid', 'pale'],
  ['sharpen', 'sharpness', 'crisp', 'sharp'],
  ['noise', 'grain', 'specks', 'denoise'],
  ['blurred', 'blur', 'blurry', 'out of focus', 'unsharp'],
  ['broken', 'damaged', 'corrupt', 'unreadable', 'truncated'],
  ['resolution', 'dimensions', 'width', 'height', 'megapixels', 'small', 'large'],
  ['white space', 'whitespace', 'blank', 'space', 'spaces', 'newline', 'empty line', 'tab'],
  ['mojibake', 'garbled', 'broken character', 'encoding', 'gibberish'],
  ['emoji', 'smiley', 'emoticon'],
  ['upper case', 'capital', 'uppercase', 'caps'],
  ['language', 'english', 'chinese', 'german', 'french'],
  ['text length', 'short', 'long', 'length', 'tiny', 'size'],
  ['html', 'web page', 'webpage', 'markup', 'tag'],
  ['main content', 'boilerplate', 'menu', 'navigation', 'article', 'advert', 'advertising', 'ad', 'ads', 'banner'],
  ['upper and lower case', 'lower case', 'lowercase', 'uppercase'],
  ['rewrite', 'summarize', 'summarise', 'summary', 'translate', 'translation', 'paraphrase'],
  ['credit card', 'card number'],
  ['secret', 'password', 'token', 'api key', 'credential'],
  ['ip address', 'ip', 'mac'],
  ['traditional', 'simplified', 'opencc', 'taiwan', 'hong kong'],
  ['flagged', 'bad word', 'swear', 'profanity', 'toxic', 'offensive', 'nsfw', 'adult'],
  ['licence', 'license', 'copyright'],
  ['reference', 'bibliography', 'citation'],
  ['table of contents', 'toc', 'index'],
  ['random', 'sample', 'subset', 'fewer'],
  ['regular expression', 'regex', 'pattern', 'replace', 'find and replace'],
  ['invisible', 'control', 'zero-width', 'hidden character', 'nonprinting'],
  ['punctuation', 'symbol', 'special character'],
  ['quote', 'dash', 'apostrophe', 'curly'],
  ['split', 'chunk', 'cut', 'divide', 'sentence'],
  ['图片', '图像', '照片', '相片'],
  ['大小', '缩小', '放大', '缩放', '缩略图', '尺寸'],
  ['元数据', 'exif', 'gps', '位置', '定位', '相机', '隐私'],
  ['格式', '转换', '转成'],
  ['转正', '旋转', '方向'],
  ['灰度', '黑白', '去色'],
  ['亮度', '太暗', '太亮', '曝光'],
  ['模糊', '不清晰', '失焦'],
  ['损坏', '坏图', '打不开'],
  ['分辨率', '像素'],
  ['删除', '去除', '移除', '去掉', '清除', '清理', '删掉', '剔除'],
  ['遮盖', '脱敏', '隐藏', '匿名', '打码', '屏蔽', '删除', '去掉'],
  ['网址', '链接', '超链接', '网页地址'],
  ['电子邮件', '邮箱', '邮件', '电子邮箱'],
  ['电话', '手机', '手机号', '电话号码'],
  ['身份证', '证件'],
  ['个人信息', '隐私', '敏感', '个人数据'],
  ['去重', '去除完全重复', '去除近似重复', '去除重复', '查重'],
  ['重复', '相同'],
  ['提示词改写', '改写', '总结', '摘要', '翻译', '润色'],
  ['网页正文', '广告', '导航'],
  ['空白', '空格', '空行', '换行'],
  ['乱码', '编码'],
  ['表情', '颜文字', '表情符号'],
  ['长度', '太短', '太长', '过短', '过长', '字数', '短', '长'],
  ['语言', '语种', '中文', '英文'],
  ['繁体', '简体', '繁简'],
  ['敏感词', '脏话', '不良', '违禁词'],
  ['参考文献', '引用'],
  ['正则', '替换'],
  ['拆分', '切分', '分段', '分句'],
];

const groupsByWord = new Map<string, Set<string>>();
for (const group of sameWords) {
  for (const word of group) {
    const others = groupsByWord.get(word) ?? new Set<string>();
    for (const other of group) others.add(other);
    groupsByWord.set(word, others);
  }
}

/** Stop words of a search. */
const idle = new Set(
  'a an all and any as at by for from i in into it its make me my of on only or out some that the them these this those to too want with words word text texts 的 了 把 我 想 要 和 与 从 里 中 文本 只要 只 请'.split(
    ' ',
  ),
);

/** The synonyms of a word, the word itself first. */
export function wordsLike(word: string): readonly string[] {
  const single = word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word;
  const like = groupsByWord.get(word) ?? groupsByWord.get(single) ?? [];
  return [...new Set([word, single, ...like])];
}

export function isEveryday(word: string): boolean {
  return groupsByWord.has(word);
}

export function isIdle(word: string): boolean {
  return idle.has(word);
}
