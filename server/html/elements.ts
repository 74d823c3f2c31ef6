/** The elements of HTML (Living Standard, index of elements), including those of earlier versions. */
export const htmlElements: ReadonlySet<string> = new Set(
  (
    'script style template noscript address article aside blockquote body br caption dd div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 head header hr html li main nav ol option p pre section table tbody td tfoot th thead title ' +
    'tr ul a abbr acronym applet area audio b base basefont bdi bdo bgsound big blink button canvas center cite code col colgroup ' +
    'data datalist del details dfn dialog dir em embed font frame frameset hgroup i iframe image img input ins isindex kbd ' +
    'keygen label legend link listing map mark marquee math menu menuitem meta meter nobr noembed noframes object optgroup ' +
    'output param picture plaintext progress q rb rp rt rtc ruby s samp search select slot small source spacer span strike ' +
    'strong sub summary sup svg textarea time tt u var video wbr xmp'
  ).split(' '),
);
