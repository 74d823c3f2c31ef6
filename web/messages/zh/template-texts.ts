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
};
