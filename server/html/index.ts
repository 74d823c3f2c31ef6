export { htmlElements } from './elements.ts';
export { textOfHtml, type HtmlTextOptions } from './html-text.ts';
export { readHtml, readXml, type HtmlElement } from './html-tree.ts';
export { scriptOf, scriptText } from './scripts.ts';
export { textOfXml } from './xml-text.ts';
export { mainContentOf } from './main-content.ts';
