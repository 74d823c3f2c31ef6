const english = [
  'The water board publishes the level of every river twice a day, and the figures of the past ten years can be downloaded as a table.',
  'Before you replace the filter, switch the pump off and wait until the pressure gauge shows less than 0.2 bar.',
  'Visitors who arrive after 18:00 use the side entrance; the code is sent by e-mail to the address given in the booking.',
  'In 1998 the two villages were merged, which explains why older maps show 3 different names for the same railway station.',
  'Questions about the schedule are answered at https://www.example.org/timetable?line=7 or by phone at +44 20 7946 0958.',
  'The committee agreed on the budget, but several members asked for a second estimate of the heating costs.',
  'Bread made with rye flour keeps longer, because the grain binds more water than wheat does.',
  'Each sample was weighed 4 times, and the mean of the last 3 readings was entered in the form (see table 2).',
  'He wrote to anna.berg@example.com that the parcel had been returned, although the address was correct.',
  'Most of the errors came from one sensor that had been mounted in the sun; after it was moved, they disappeared.',
];
const chinese = [
  '水务部门每天两次公布各条河流的水位，过去十年的数据可以以表格形式下载。',
  '更换滤芯之前，请先关闭水泵，并等待压力表的读数低于0.2巴。',
  '18:00以后到达的访客请走侧门，门禁密码会发送到预订时填写的电子邮箱。',
  '1998年两个村庄合并，因此旧地图上同一个火车站有三个不同的名称。',
  '有关时刻表的问题，请访问 https://www.example.org/timetable?line=7 ，或致电 010-6552 9988。',
  '委员会批准了预算，但有几位委员要求对供暖费用重新估算。',
  '用黑麦粉做的面包保存时间更长，因为这种谷物比小麦吸收更多的水分。',
  '每个样品称量四次，取最后三次读数的平均值填入表格（见表二）。',
  '他写信给 anna.berg@example.com ，说包裹被退回了，尽管地址是正确的。',
  '大多数误差来自一个安装在阳光下的传感器，移动位置之后就消失了。',
];

/**
 * The texts for measuring speeds: 32 documents of about 2,000 characters; every fourth is Chinese, the others English.
 */
export const measuredTexts: readonly string[] = Array.from({ length: 32 }, (_, number) =>
  number % 4 === 3 ? documentOf(chinese, number, 60, '') : documentOf(english, number, 17, ' '),
);

/** Paragraphs of three sentences, in a different order for each document. */
function documentOf(sentences: readonly string[], number: number, length: number, between: string): string {
  const chosen = Array.from({ length }, (_, at) => sentences[(at * 7 + number * 3 + Math.floor(at / 10)) % 10] ?? '');
  return chosen.map((sentence, at) => (at === 0 ? sentence : (at % 3 === 0 ? '\n\n' : between) + sentence)).join('');
}
