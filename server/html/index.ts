export { textOfHtml, type HtmlTextOptions } from './html-text.ts';
export { readHtml, type HtmlElement } from './html-tree.ts';
export { mainContentOf } from './main-content.ts';
