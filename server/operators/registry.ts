// Made from the files of this folder by `npm run docs`; do not edit.
import { exactDeduplicator } from './deduplicators/exact-deduplicator.ts';
import { fileDeduplicator } from './deduplicators/file-deduplicator.ts';
import { minhashDeduplicator } from './deduplicators/minhash-deduplicator.ts';
import { rowKeyDeduplicator } from './deduplicators/row-key-deduplicator.ts';
import { simhashDeduplicator } from './deduplicators/simhash-deduplicator.ts';
import { htmlToText } from './extractors/html-to-text.ts';
import { latexToText } from './extractors/latex-to-text.ts';
import { mainContentExtractor } from './extractors/main-content-extractor.ts';
import { markdownToText } from './extractors/markdown-to-text.ts';
import { xmlToText } from './extractors/xml-to-text.ts';
import { categoryFilter } from './fields/category-filter.ts';
import { columnCaseNormalizer } from './fields/column-case-normalizer.ts';
import { columnCaster } from './fields/column-caster.ts';
import { columnDateNormalizer } from './fields/column-date-normalizer.ts';
import { columnFiller } from './fields/column-filler.ts';
import { columnNumberNormalizer } from './fields/column-number-normalizer.ts';
import { columnRemover } from './fields/column-remover.ts';
import { columnRenamer } from './fields/column-renamer.ts';
import { columnSelector } from './fields/column-selector.ts';
import { columnTemplateWriter } from './fields/column-template-writer.ts';
import { columnTrimmer } from './fields/column-trimmer.ts';
import { jsonPathExtractor } from './fields/json-path-extractor.ts';
import { listSplitter } from './fields/list-splitter.ts';
import { numberFilter } from './fields/number-filter.ts';
import { alphabeticWordRatioFilter } from './filters/alphabetic-word-ratio-filter.ts';
import { bulletLineRatioFilter } from './filters/bullet-line-ratio-filter.ts';
import { characterRepetitionFilter } from './filters/character-repetition-filter.ts';
import { decontaminationFilter } from './filters/decontamination-filter.ts';
import { digitRatioFilter } from './filters/digit-ratio-filter.ts';
import { duplicateLineRatioFilter } from './filters/duplicate-line-ratio-filter.ts';
import { duplicateNgramFilter } from './filters/duplicate-ngram-filter.ts';
import { duplicateParagraphRatioFilter } from './filters/duplicate-paragraph-ratio-filter.ts';
import { ellipsisLineRatioFilter } from './filters/ellipsis-line-ratio-filter.ts';
import { fileSizeFilter } from './filters/file-size-filter.ts';
import { firstSampleFilter } from './filters/first-sample-filter.ts';
import { flaggedWordFilter } from './filters/flagged-word-filter.ts';
import { forbiddenKeywordFilter } from './filters/forbidden-keyword-filter.ts';
import { languageFilter } from './filters/language-filter.ts';
import { lineBreakRatioFilter } from './filters/line-break-ratio-filter.ts';
import { linePunctuationFilter } from './filters/line-punctuation-filter.ts';
import { meanWordLengthFilter } from './filters/mean-word-length-filter.ts';
import { punctuationRatioFilter } from './filters/punctuation-ratio-filter.ts';
import { randomSampleFilter } from './filters/random-sample-filter.ts';
import { readabilityFilter } from './filters/readability-filter.ts';
import { regexFilter } from './filters/regex-filter.ts';
import { repetitionFilter } from './filters/repetition-filter.ts';
import { requiredKeywordFilter } from './filters/required-keyword-filter.ts';
import { sentenceCountFilter } from './filters/sentence-count-filter.ts';
import { shortLineRatioFilter } from './filters/short-line-ratio-filter.ts';
import { specialCharacterRatioFilter } from './filters/special-character-ratio-filter.ts';
import { stopWordFilter } from './filters/stop-word-filter.ts';
import { symbolWordRatioFilter } from './filters/symbol-word-ratio-filter.ts';
import { textLengthFilter } from './filters/text-length-filter.ts';
import { topNgramFilter } from './filters/top-ngram-filter.ts';
import { unfinishedLineRemover } from './filters/unfinished-line-remover.ts';
import { uppercaseRatioFilter } from './filters/uppercase-ratio-filter.ts';
import { brokenImageFilter } from './images/broken-image-filter.ts';
import { imageAspectRatioFilter } from './images/image-aspect-ratio-filter.ts';
import { imageBlurFilter } from './images/image-blur-filter.ts';
import { imageBrightnessAdjuster } from './images/image-brightness-adjuster.ts';
import { imageBrightnessFilter } from './images/image-brightness-filter.ts';
import { imageContrastAdjuster } from './images/image-contrast-adjuster.ts';
import { imageConverter } from './images/image-converter.ts';
import { imageCropper } from './images/image-cropper.ts';
import { imageDenoiser } from './images/image-denoiser.ts';
import { imageGrayscaler } from './images/image-grayscaler.ts';
import { imageMetadataRemover } from './images/image-metadata-remover.ts';
import { imageNearDeduplicator } from './images/image-near-deduplicator.ts';
import { imageOrienter } from './images/image-orienter.ts';
import { imageResizer } from './images/image-resizer.ts';
import { imageResolutionFilter } from './images/image-resolution-filter.ts';
import { imageSaturationAdjuster } from './images/image-saturation-adjuster.ts';
import { imageSharpener } from './images/image-sharpener.ts';
import { modelClassifier } from './judges/model-classifier.ts';
import { modelQualityFilter } from './judges/model-quality-filter.ts';
import { modelRewriter } from './judges/model-rewriter.ts';
import { chineseIdMasker } from './maskers/chinese-id-masker.ts';
import { creditCardMasker } from './maskers/credit-card-masker.ts';
import { emailMasker } from './maskers/email-masker.ts';
import { ibanMasker } from './maskers/iban-masker.ts';
import { ipMasker } from './maskers/ip-masker.ts';
import { macAddressMasker } from './maskers/mac-address-masker.ts';
import { passportMasker } from './maskers/passport-masker.ts';
import { phoneMasker } from './maskers/phone-masker.ts';
import { piiMasker } from './maskers/pii-masker.ts';
import { secretMasker } from './maskers/secret-masker.ts';
import { urlMasker } from './maskers/url-masker.ts';
import { usSsnMasker } from './maskers/us-ssn-masker.ts';
import { wordMasker } from './maskers/word-masker.ts';
import { mojibakeNormalizer } from './normalizers/mojibake-normalizer.ts';
import { punctuationNormalizer } from './normalizers/punctuation-normalizer.ts';
import { simplifiedToTraditional } from './normalizers/simplified-to-traditional.ts';
import { traditionalToSimplified } from './normalizers/traditional-to-simplified.ts';
import { unicodeNormalizer } from './normalizers/unicode-normalizer.ts';
import { whitespaceNormalizer } from './normalizers/whitespace-normalizer.ts';
import { widthNormalizer } from './normalizers/width-normalizer.ts';
import { captionRemover } from './removers/caption-remover.ts';
import { controlCharacterRemover } from './removers/control-character-remover.ts';
import { emojiRemover } from './removers/emoji-remover.ts';
import { htmlTagRemover } from './removers/html-tag-remover.ts';
import { licenseHeaderRemover } from './removers/license-header-remover.ts';
import { pageHeaderRemover } from './removers/page-header-remover.ts';
import { referenceListRemover } from './removers/reference-list-remover.ts';
import { regexReplacer } from './removers/regex-replacer.ts';
import { repeatedLineRemover } from './removers/repeated-line-remover.ts';
import { repeatedParagraphRemover } from './removers/repeated-paragraph-remover.ts';
import { repeatedSentenceRemover } from './removers/repeated-sentence-remover.ts';
import { tableOfContentsRemover } from './removers/table-of-contents-remover.ts';
import { urlRemover } from './removers/url-remover.ts';
import { wordRemover } from './removers/word-remover.ts';
import { balanceSelector } from './selectors/balance-selector.ts';
import { mixSelector } from './selectors/mix-selector.ts';
import { splitWriter } from './selectors/split-writer.ts';
import { chunkSplitter } from './splitters/chunk-splitter.ts';
import { sentenceSplitter } from './splitters/sentence-splitter.ts';
import type { Operator } from './operator.ts';

/** The built-in operators. */
export const operators: readonly Operator[] = [
  exactDeduplicator,
  fileDeduplicator,
  minhashDeduplicator,
  rowKeyDeduplicator,
  simhashDeduplicator,
  htmlToText,
  latexToText,
  mainContentExtractor,
  markdownToText,
  xmlToText,
  categoryFilter,
  columnCaseNormalizer,
  columnCaster,
  columnDateNormalizer,
  columnFiller,
  columnNumberNormalizer,
  columnRemover,
  columnRenamer,
  columnSelector,
  columnTemplateWriter,
  columnTrimmer,
  jsonPathExtractor,
  listSplitter,
  numberFilter,
  alphabeticWordRatioFilter,
  bulletLineRatioFilter,
  characterRepetitionFilter,
  decontaminationFilter,
  digitRatioFilter,
  duplicateLineRatioFilter,
  duplicateNgramFilter,
  duplicateParagraphRatioFilter,
  ellipsisLineRatioFilter,
  fileSizeFilter,
  firstSampleFilter,
  flaggedWordFilter,
  forbiddenKeywordFilter,
  languageFilter,
  lineBreakRatioFilter,
  linePunctuationFilter,
  meanWordLengthFilter,
  punctuationRatioFilter,
  randomSampleFilter,
  readabilityFilter,
  regexFilter,
  repetitionFilter,
  requiredKeywordFilter,
  sentenceCountFilter,
  shortLineRatioFilter,
  specialCharacterRatioFilter,
  stopWordFilter,
  symbolWordRatioFilter,
  textLengthFilter,
  topNgramFilter,
  unfinishedLineRemover,
  uppercaseRatioFilter,
  brokenImageFilter,
  imageAspectRatioFilter,
  imageBlurFilter,
  imageBrightnessAdjuster,
  imageBrightnessFilter,
  imageContrastAdjuster,
  imageConverter,
  imageCropper,
  imageDenoiser,
  imageGrayscaler,
  imageMetadataRemover,
  imageNearDeduplicator,
  imageOrienter,
  imageResizer,
  imageResolutionFilter,
  imageSaturationAdjuster,
  imageSharpener,
  modelClassifier,
  modelQualityFilter,
  modelRewriter,
  chineseIdMasker,
  creditCardMasker,
  emailMasker,
  ibanMasker,
  ipMasker,
  macAddressMasker,
  passportMasker,
  phoneMasker,
  piiMasker,
  secretMasker,
  urlMasker,
  usSsnMasker,
  wordMasker,
  mojibakeNormalizer,
  punctuationNormalizer,
  simplifiedToTraditional,
  traditionalToSimplified,
  unicodeNormalizer,
  whitespaceNormalizer,
  widthNormalizer,
  captionRemover,
  controlCharacterRemover,
  emojiRemover,
  htmlTagRemover,
  licenseHeaderRemover,
  pageHeaderRemover,
  referenceListRemover,
  regexReplacer,
  repeatedLineRemover,
  repeatedParagraphRemover,
  repeatedSentenceRemover,
  tableOfContentsRemover,
  urlRemover,
  wordRemover,
  balanceSelector,
  mixSelector,
  splitWriter,
  chunkSplitter,
  sentenceSplitter,
];
