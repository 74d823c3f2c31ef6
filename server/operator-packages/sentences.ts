import { defineSentences } from '../kernel/sentence-catalogue.ts';

/** What is wrong with a package. */
export const packageProblems = defineSentences('packages of operators', {
  PACKAGE_LACKS: '{path} is missing from the package',
  PACKAGE_NOT_TEXT: '{path} is not valid UTF-8',
  PACKAGE_NOT_JSON: '{path} is not valid JSON',
  PACKAGE_FILE_TOO_LARGE: '{path} has more than {limit} KiB',
  PACKAGE_FIELD: 'operator.json: {field} {problem}',
  PACKAGE_BAD_ICON: '{path} is no PNG',
  PACKAGE_BAD_SIGNATURE: 'operator.sig is not the base64 of an Ed25519 signature',
  PACKAGE_DIFFERS: 'the package of {operator} {version} differs from its digest',
  NO_SANDBOX: 'This service runs no published operators',
  PACKAGE_GONE: 'the package of {operator} {version} is not there any more',
  PACKAGE_REFUSED_ENTRY: '{path} in the package is refused: {reason}',
  EXAMPLE_FAILED: 'the example “{title}” fails in the sandbox: {reason}',
  EXAMPLE_DIFFERS: 'the example “{title}” gives {got} in the sandbox, not {expected}',
  EXAMINATION_TOO_LONG: 'its examples and measurements took more than {seconds} s',
});
