/** 内置模板的中文，按其标识。 */
export const templateTexts: Readonly<Record<string, { name: string; description: string }>> = {
  'tidy-text': { name: '整理文本', description: '去掉读者看不见的字符并规范空白；样本全部保留。' },
  'web-text': {
    name: '网页文本',
    description: '去掉 HTML 标签和网址，整理文本，并剔除过短、以符号为主或反复重复的内容。',
  },
  'masked-text': {
    name: '遮盖个人信息的文本',
    description: '整理文本，并遮盖电子邮件地址、电话号码、卡号和 IP 地址。',
  },
  'exact-duplicates': { name: '去除完全重复的文本', description: '整理文本，相同的样本只保留第一个。' },
  'training-corpus': {
    name: '训练语料',
    description: '整理文本，剔除残片、符号和重复，几乎相同的样本只保留第一个。',
  },
  'gopher-quality': {
    name: 'Gopher 质量规则',
    description:
      '按 Gopher 的规则（Rae 等，2021，A1.1 节）及其阈值保留连贯的英文文本：词数与词长、符号、项目符号、省略号、含字母的词、停用词。',
  },
  'gopher-repetition': {
    name: 'Gopher 重复规则',
    description:
      '按 Gopher 的规则（Rae 等，2021，表 A1）及其阈值剔除反复重复的内容：重复的行、段落和 2 至 10 词的词串。',
  },
  'c4-english': {
    name: 'C4 规则',
    description:
      '按 C4 的规则（Raffel 等，2020，2.2 节）保留英文网页中的句子：像句子一样结尾且至少三个词的行，去掉菜单、提示、代码和占位文字，并且至少五句。',
  },
  fineweb: {
    name: 'FineWeb 规则',
    description:
      '像 FineWeb（Penedo 等，2024）那样保留好的英文网页：英文且置信度不低于 0.65，Gopher 的规则，C4 的规则（行尾一条除外），以及它自己关于行的规则，均取其阈值。',
  },
  'chinese-web-text': {
    name: '中文网页文本',
    description:
      '保留网页中连贯的中文文本。规则的种类取自 Gopher 和 FineWeb；按词数或字符数的阈值由我们自定，因为一个汉字的信息量约等于一个短的英文词。',
  },
  'personal-data': {
    name: '去除个人信息的文本',
    description:
      '整理文本，并遮盖密钥、电子邮件地址、电话号码、银行卡号和账号、中国身份证号和美国社会安全号、护照号以及机器地址，每种一个步骤。',
  },
  'retrieval-text': {
    name: '供检索的文本',
    description:
      '准备用来查找答案的文本：整理文本，遮盖密钥，剔除残片、噪声和反复重复的内容，几乎相同的样本只保留第一个。阈值由我们自定，较为宽松。',
  },
};
