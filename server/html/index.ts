export { htmlElements } from './elements.ts';
export { textOfHtml, type HtmlTextOptions } from './html-text.ts';
export { elementsOf, readHtml, readXml, type HtmlElement } from './html-tree.ts';
export { writeHtml } from './html-writer.ts';
export { listLeftOut, type PageLoss } from './left-out.ts';
export { scriptOf, scriptText } from './scripts.ts';
export { textOfXml } from './xml-text.ts';
export { mainContentOf } from './main-content.ts';
