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
};
