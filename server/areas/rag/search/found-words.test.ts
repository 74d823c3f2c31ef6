import assert from 'node:assert/strict';
import { createKnowledgeBase } from '../../../../tests/support/knowledge-bases.ts';
import { sharedApp } from '../../../../tests/support/shared-app.ts';

const documents: Record<string, string> = {
  quotes: "They don't agree; it’s O’Reilly who said rock'n'roll, l’été and aujourd’hui.",
  turkish: 'İstanbul ve Diyarbakır, IĞDIR; ŞANLIURFA.',
  latin: 'The café in Zürich serves Crème brûlée. Straße, Łódź, Ångström, smørrebrød, Đà Nẵng, Þingvellir, cœur, Æsir.',
  units: 'A film of 10µm, 5GHz, 40 ㎏, 3 ㎡ and 220Ω at ２５℃.',
  kana: 'プログラミング言語とデータベース。ｶﾞｲﾄﾞﾗｲﾝの半角。',
  kanji: '灌溉系统的水泵压力过低时需要清洗过滤器。北京大学的研究人员发表了论文。',
  japanese: '東京都庁の天気は晴れです。国際空港へ行く。',
  arabic: 'مُحَمَّد يذهب إلى المدرسة الجديدة. كتـــاب قديم والكتب الأخرى.',
  hebrew: 'שָׁלוֹם עולם, זהו מסמך בעברית.',
  korean: '데이터베이스를 사용합니다. 서울에서 부산까지 기차로 물을 운반했다.',
  russian: 'Ёлка стоит во дворе. Мой йод.',
  greek: 'Ο Οδυσσεύς και η Ελλάδα, ΑΘΗΝΑΙΟΣ.',
  thai: 'นี่คือข้อความภาษาไทยสำหรับทดสอบ',
  wide: 'ＡＢＣ１２３ full width. ﬁle with a ligature, oﬃce. 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 letters.',
  hyphens: 'state-of-the-art e-mail co-operation, non‑breaking hyphens, Order ABC-1234-X7 of 2024-03-15.',
  code: 'getUserName(user_id) in HttpRequestParser, XMLHttpRequest, loadJSON2Text, and MAX_RETRY_COUNT of modprobe.conf.',
  numbers: 'The price is 1,234.56 euros, or 7’654’321 francs.',
  marks: 'inter­national sta\u200btion with characters of no width.',
  hindi: 'यह हिन्दी का पाठ है।',
  vietnamese: 'Tiếng Việt có dấu.',
  emphasis: '**W**ombats and a para*meter*ised thing.',
  endings: "Darwin’s theory, the patient's temperature, Ankara'da, Atatürk’ün, Türkiye’nin.",
  filler: 'Nothing of interest stands here, only words about cooking and gardens.',
  weather: 'The weather was mild and the ducks were swimming in a pond.',
};

/** Queries by the document that each of them finds first. */
const queries: Record<string, string[]> = {
  quotes: ["don't", 'don’t', "it's", 'it’s', "O'Reilly", 'O‘Reilly', 'rock’n’roll', "l'été", 'été', "aujourd'hui"],
  turkish: ['istanbul', 'İstanbul', 'ISTANBUL', 'İSTANBUL', 'Diyarbakir', 'diyarbakır', 'igdir', 'Şanlıurfa'],
  latin: ['cafe', 'CAFÉ', 'Zurich', 'creme brulee', 'strasse', 'STRASSE', 'Lodz', 'angstrom', 'smorrebrod'],
  units: ['10µm', '10μm', '10 µm', '220 Ω', '5GHz', '5 GHz', 'ghz', '40 kg', 'm2', '220Ω', '25°C'],
  kana: ['プログラミング', 'ﾌﾟﾛｸﾞﾗﾐﾝｸﾞ', 'ﾃﾞｰﾀﾍﾞｰｽ', 'ガイドライン', 'ｶﾞｲﾄﾞﾗｲﾝ', '言語'],
  kanji: ['水', '水泵', '压力过低', '北京大学', '大学', '过滤器清洗', '泵', '论文', '灌'],
  japanese: ['東京', '天気', '空港', '国際空港', '庁'],
  arabic: ['محمد', 'مُحَمَّد', 'مدرسة', 'المدرسة', 'المدرسه', 'كتاب', 'الكتب', 'اخرى', 'أخرى'],
  hebrew: ['שלום', 'עברית', 'בעברית', 'עולם'],
  korean: ['데이터베이스', '데이터베이스를', '데이터베이스는', '서울', '부산', '기차', '물'],
  russian: ['елка', 'ёлка', 'ЁЛКА', 'йод', 'мой'],
  greek: ['Οδυσσεύς', 'οδυσσευσ', 'ελλαδα', 'Αθηναίος'],
  thai: ['ภาษาไทย', 'ข้อความ'],
  wide: ['ABC123', 'abc123', 'ａｂｃ１２３', 'file', 'office', 'Unicode letters'],
  hyphens: [
    'state of the art',
    'email',
    'e-mail',
    'E‑Mail',
    'cooperation',
    'non-breaking',
    'ABC1234X7',
    'abc 1234 x7',
    '20240315',
  ],
  code: [
    'getUserName',
    'user name',
    'http request parser',
    'HttpRequest',
    'retry',
    'modprobe',
    'user_id',
    'json',
    'text',
  ],
  numbers: ['1,234.56', '1234.56', '7654321', "7'654'321"],
  marks: ['international', 'station'],
  hindi: ['हिन्दी', 'पाठ'],
  vietnamese: ['tieng viet', 'Việt', 'dấu'],
  endings: ['Darwin', 'darwin’s', 'patient', 'Ankara', 'ataturk', 'Atatürk’ün', 'Türkiye'],
  emphasis: ['Wombats', 'wombats', 'parameterised'],
};

const shared = sharedApp(import.meta.url);

shared.forAnyDatabase('a word is found in every form in which it is written', async (_t, service) => {
  const base = await createKnowledgeBase(service);
  await base.add(Object.fromEntries(Object.entries(documents).map(([name, text]) => [`${name}.txt`, text])));
  await base.settled();
  const wrong: string[] = [];
  for (const [name, words] of Object.entries(queries))
    for (const query of words) {
      const [first] = await base.search({ query, mode: 'KEYWORD' });
      if (first?.documentName !== `${name}.txt`) wrong.push(`${query}: ${first?.documentName}, not ${name}.txt`);
    }
  assert.deepEqual(wrong, []);
});

shared.forAnyDatabase('a document that is completed is found by the words that all of it has', async (_t, service) => {
  const base = await createKnowledgeBase(service);
  for (let round = 0; round < 3; round++) {
    const word = `zebra${round}x`;
    const texts = Array.from({ length: 12 }, (_, at) => [`${round}-${at}.txt`, `${word} word ${at} `.repeat(150)]);
    await base.add(Object.fromEntries(texts) as Record<string, string>);
    await base.settled();
    const hits = await base.search({ query: word, mode: 'KEYWORD', topK: 200 });
    assert.equal(new Set(hits.map(({ documentId }) => documentId)).size, texts.length, word);
  }
});
