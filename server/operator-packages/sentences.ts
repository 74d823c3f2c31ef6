import { defineSentences } from '../kernel/sentence-catalogue.ts';

/** What is wrong with a package. */
export const packageProblems = defineSentences('packages of operators', {
  PACKAGE_LACKS: '{path} is missing from the package',
  PACKAGE_NOT_TEXT: '{path} is not valid UTF-8',
  PACKAGE_NOT_JSON: '{path} is not valid JSON',
  PACKAGE_FILE_TOO_LARGE: '{path} has more than {limit} KiB',
  PACKAGE_FIELD: 'operator.json: {field} {problem}',
  FIELD_NOT_KNOWN: 'is not known',
  FIELD_NOT_SUPPORTED: 'is not supported',
  MODELS_AS_CAPABLE: 'must name the models if and only if capabilities has models',
  NAME_OF_BUDGET: 'is the name of a budget',
  KIND_SEES_ONE: 'can not be {kind}: published operators see one sample at a time, not all of them',
  MODALITY_NOT_GIVEN: 'can not be {modality}: published operators are given no media',
  MEDIA_NOT_GIVEN: 'can not have media: published operators are given none',
  FOR_FILTERS_ALONE: 'are for a FILTER alone',
  DATASETS_NOT_GIVEN: 'is for built-in operators: published ones are given no other datasets',
  DEFAULT_UNFIT: 'does not fit the parameter',
  PACKAGE_BAD_ICON: '{path} is no PNG',
  PACKAGE_BAD_SIGNATURE: 'operator.sig is not the base64 of an Ed25519 signature',
  PACKAGE_DIFFERS: 'the package of {operator} {version} differs from its digest',
  ASKS_WITHOUT_CAPABILITY: 'the operator asks a model, which its manifest does not declare',
  MODEL_NOT_DECLARED: 'the operator asks the model {model}; an administrator approved {models}',
  QUESTION_UNREADABLE: 'the operator asks a model in another form than the documented one: {field}',
  QUESTION_TOO_LONG: 'the operator asks a model with {characters} characters, more than {limit}',
  QUESTIONS_TOO_MANY: 'the operator asks models more than {limit} times about one sample',
  REPLY_CUT_OFF: 'the reply of the model was cut off',
  NO_REPLY_IN_EXAMPLE: 'the example has no reply for the question that the operator asks',
  NO_SANDBOX: 'This service runs no published operators',
  PACKAGE_GONE: 'the package of {operator} {version} is not there any more',
  PACKAGE_UNREADABLE: 'the package of {operator} {version} can not be read: {why}',
  PACKAGE_REFUSED_ENTRY: '{path} in the package is refused: {reason}',
  EXAMPLE_FAILED: 'the example “{title}” fails in the sandbox: {reason}',
  EXAMPLE_DIFFERS: 'the example “{title}” gives {got} in the sandbox, not {expected}',
  PART_NOT_DECLARED:
    'the operator answers with “{part}”, which the “writes” of its manifest do not name: it would be lost',
  SCORE_MISSING:
    'it has thresholds, so it must answer with a score for each sample; it answered with none for “{text}”',
  SCORE_DIFFERS:
    'its thresholds and its score {score} do not explain its verdict on “{text}”: a score on the right side of all thresholds keeps, any other one drops',
  EXAMINATION_OVER_MEMORY: 'its answers to the examples and measurements take more than {memory} MiB of memory',
  EXAMINATION_TOO_LONG: 'its examples and measurements took more than {seconds} s',
});
