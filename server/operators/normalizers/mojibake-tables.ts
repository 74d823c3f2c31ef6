// Tables for the repair of mojibake, after the heuristic of ftfy 6 (Robyn Speer, Apache-2.0): characters that occur in
// UTF-8 decoded with a single-byte encoding, and pairs of them that are unlikely to be intended.

/** The characters of the bytes 0x80 to 0xFF, by encoding, in the order in which they are tried; unassigned bytes are C1 codes. */
export const upperHalves: readonly { readonly name: string; readonly characters: string }[] = [
  {
    name: 'latin-1',
    characters:
      '\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±\u00b2\u00b3´µ¶·¸\u00b9º»\u00bc\u00bd\u00be¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ',
  },
  {
    name: 'windows-1252',
    characters:
      '€\u0081‚ƒ„…†‡\u02c6‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±\u00b2\u00b3´µ¶·¸\u00b9º»\u00bc\u00bd\u00be¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ',
  },
  {
    name: 'windows-1251',
    characters:
      'ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u0098™љ›њќћџ\u00a0ЎўЈ¤Ґ¦§Ё©Є«¬\u00ad®Ї°±Ііґµ¶·ё№є»јЅѕїАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя',
  },
  {
    name: 'windows-1250',
    characters:
      '€\u0081‚\u0083„…†‡\u0088‰Š‹ŚŤŽŹ\u0090‘’“”•–—\u0098™š›śťžź\u00a0\u02c7˘Ł¤Ą¦§¨©Ş«¬\u00ad®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙',
  },
  {
    name: 'windows-1253',
    characters:
      '€\u0081‚ƒ„…†‡\u0088‰\u008a‹\u008c\u008d\u008e\u008f\u0090‘’“”•–—\u0098™\u009a›\u009c\u009d\u009e\u009f\u00a0΅Ά£¤¥¦§¨©ª«¬\u00ad®―°±\u00b2\u00b3΄µ¶·ΈΉΊ»Ό\u00bdΎΏΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡÒΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώÿ',
  },
  {
    name: 'windows-1254',
    characters:
      '€\u0081‚ƒ„…†‡\u02c6‰Š‹Œ\u008d\u008e\u008f\u0090‘’“”•–—˜™š›œ\u009d\u009eŸ\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±\u00b2\u00b3´µ¶·¸\u00b9º»\u00bc\u00bd\u00be¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞßàáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ',
  },
  {
    name: 'windows-1257',
    characters:
      '€\u0081‚\u0083„…†‡\u0088‰\u008a‹\u008c¨\u02c7¸\u0090‘’“”•–—\u0098™\u009a›\u009c¯˛\u009f\u00a0¡¢£¤¥¦§Ø©Ŗ«¬\u00ad®Æ°±\u00b2\u00b3´µ¶·ø\u00b9ŗ»\u00bc\u00bd\u00beæĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽßąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž˙',
  },
  {
    name: 'iso-8859-2',
    characters:
      '\u0080\u0081\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008d\u008e\u008f\u0090\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009d\u009e\u009f\u00a0Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u00adŽŻ°ą˛ł´ľś\u02c7¸šşťź˝žżŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙',
  },
  {
    name: 'macroman',
    characters:
      'ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›\ufb01\ufb02‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙı\u02c6˜¯˘˙˚¸˝˛\u02c7',
  },
  {
    name: 'cp437',
    characters:
      'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬\u00bd\u00bc¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√\u207f\u00b2■\u00a0',
  },
];

/** The characters of mojibake, by their usual role. */
const categories: Readonly<Record<string, string>> = {
  common: '\u00a0\u00ad·´–—―…’',
  c1: '\u0080-\u009f',
  bad: '¦¤¨¬¯¸ƒ\u02c6\u02c7˘˛˜†‡‰⌐◊\ufffdªº',
  law: '¶§',
  currency: '¢£¥₧€',
  opening: '¡«¿©΄΅‘‚“„•‹\uf8ff',
  closing: '®»˝”›™',
  numeric: '\u00b2\u00b3\u00b9±\u00bc\u00bd\u00be×µ÷⁄∂∆∏∑√∞∩∫≈≠≡≤≥№',
  kaomoji: 'Ò-ÖÙ-Üò-öø-üŐŌŪŲ°',
  upperAccented: 'À-ÑØÜÝĂĀĄĆČĎĐĘĚĒĖĞĢİĪĶĹĽŁĻŃŇŅŒŘŚŞŠŢŤŮŰŸŹŻŽҐ',
  lowerAccented: 'ßà-ñăąāćčďđęěēėğģįīķĺľłļœŕśşšťüźżžґ\ufb01\ufb02',
  upperCommon: 'ÞΑ-ΩΆΈΉΊΌΎΏΪΫЁ-Я',
  lowerCommon: 'α-ωάέήίΰа-џ',
  box: '│┌┐┘├┤┬┼═-╬▀▄█▌▐░▒▓',
};

/** Sequences that are unlikely to be intended. */
const unlikely = [
  String.raw`[{c1}]`,
  String.raw`[{bad}{lowerAccented}{upperAccented}{box}{opening}{closing}{currency}{numeric}{law}][{bad}]`,
  String.raw`[a-zA-Z][{lowerCommon}{upperCommon}][{bad}]`,
  String.raw`[{bad}][{lowerAccented}{upperAccented}{box}{opening}{closing}{currency}{numeric}{law}]`,
  String.raw`[{lowerAccented}{lowerCommon}{box}{closing}{currency}{numeric}][{upperAccented}]`,
  String.raw`[{box}{closing}{currency}{numeric}][{lowerAccented}]`,
  String.raw`[{lowerAccented}{box}{closing}][{currency}]`,
  String.raw`\s[{upperAccented}][{currency}]`,
  String.raw`[{upperAccented}{box}][{numeric}{law}]`,
  String.raw`[{lowerAccented}{upperAccented}{box}{currency}{closing}][{opening}][{numeric}]`,
  String.raw`[{lowerAccented}{upperAccented}{currency}{numeric}{box}{law}][{closing}][{opening}]`,
  String.raw`[{currency}{numeric}{box}][{opening}]`,
  String.raw`[a-z][{upperAccented}][{opening}{currency}]`,
  String.raw`[{box}][{kaomoji}]`,
  String.raw`[{lowerAccented}{upperAccented}{currency}{numeric}{opening}{closing}{law}][{box}]`,
  String.raw`[{box}][{closing}]`,
  String.raw`[{lowerAccented}{upperAccented}][{opening}{closing}][\p{L}\p{N}_]`,
  String.raw`[Œœ][^A-Za-z]`,
  String.raw`[{upperAccented}]°`,
  String.raw`[ÂÃÎÐ][€œŠš¢£Ÿž\xa0\xad®©°·»{opening}{closing}–—´]`,
  String.raw`×[\u00b2\u00b3]`,
  String.raw`[ØÙ][{common}{currency}{bad}{numeric}{opening}ŸŠ®°µ»][ØÙ][{common}{currency}{bad}{numeric}{opening}ŸŠ®°µ»]`,
  String.raw`à[\u00b2µ\u00b9\u00bc\u00bd\u00be]`,
  String.raw`√[±∂†≠®™´≤≥¥µø]`,
  String.raw`≈[°¢]`,
  String.raw`‚Ä[ìîïòôúùû†°¢π]`,
  String.raw`‚[âó][àä°ê]`,
  String.raw`вЂ`,
  String.raw`[ВГРС][{c1}{bad}{opening}{closing}{currency}°µ][ВГРС]`,
  String.raw`ГўВЂВ.[A-Za-z ]`,
  String.raw`Ã[\xa0¡]`,
  String.raw`[a-z]\s?[ÃÂ][ ]`,
  String.raw`^[ÃÂ][ ]`,
  String.raw`[a-z.,?!{closing}]Â[ {opening}{closing}]`,
  String.raw`β€[™\xa0Ά\xad®°]`,
  String.raw`[ΒΓΞΟ][{c1}{bad}{opening}{closing}{currency}°][ΒΓΞΟ]`,
  String.raw`ā€`,
];

/** Lead and continuation bytes of UTF-8 as characters of some single-byte encoding. */
const clues = {
  firstOf2:
    'ĂÂÄĀÅÃÆĆČÇĎĐÉĚÊËĖÈĒĘÐĞĢÍÎÏİÌĪĶĹĻŁŃŇŅÑÓÔÖŐÒŌØÕŘŚŠŞŢÞÚÛÜŰÙŪŲŮÝŹŽŻß×ΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫάέήίВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ',
  firstOf3: 'áăâäàāąåãæćčçďéěêëėèēęęģíîïìīįķĺļŕźΰαβγδεζηθικλμνξοабвгдежзийклмноп',
  firstOf4: 'đðğóšπσру',
  continuation:
    '\u0080-¿ ĄÆĽŁØŖŚŠŞŤŸŹŽŻŒąæƒľłøŗśšşťźžżœ\u02c6\u02c7˘˛˜˝΄΅ΆΈΉΊΌΎΏЁЂЃЄЅІЇЈЉЊЋЌЎЏёђѓєѕіїјљњћќўџҐґ–—―‘’‚“”„†‡•…‰‹›€№™',
  strictContinuation:
    '\u0080-¿ĄÆĽŁØŖŚŠŞŤŸŹŽŻŒąæƒľłøŗśšşťźžżœ\u02c6\u02c7˘˛˜˝΄΅ΆΈΉΊΌΎΏЁЂЃЄЅІЇЈЉЊЋЌЎЏёђѓєѕіїјљњћќўџҐґ†‡‰‹›€№™',
};

export const mojibake = new RegExp(
  unlikely.join('|').replaceAll(/\{(\w{2,})\}/g, (_, name: string) => categories[name] ?? ''),
  'u',
);

/** Sequences that look like UTF-8, in texts that are otherwise correct. */
export const embedded = new RegExp(
  `(?<![${clues.strictContinuation}])(?:[${clues.firstOf2}][${clues.continuation}]|[${clues.firstOf3}][${clues.continuation}]{2}|[${clues.firstOf4}][${clues.continuation}]{3})+`,
  'gu',
);
