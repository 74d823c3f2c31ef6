import { defineSentences } from '../../kernel/sentence-catalogue.ts';

/** Why a sample can't be used, and why a record was dropped or failed. */
export const synthesisReasons = defineSentences('synthesis', {
  SYNTHESIS_SAMPLE_UNREADABLE: 'the sample can not be used: {why}',
  SYNTHESIS_REST_NOT_READ: 'only the first {bytes} bytes of a file are read; split it into smaller ones',
  SYNTHESIS_ROW_NOT_JSON: 'row {row} is no JSON object',
  SYNTHESIS_NO_TEXT: 'there is no text in the sample; set input.textField',
  SYNTHESIS_NO_COLUMN: 'the sample has no column {column}',
  SYNTHESIS_CALL_FAILED: 'the call of the model failed: {why}',
  SYNTHESIS_SCHEMA: 'the reply does not have the wanted form: {why}',
  SYNTHESIS_REFUSAL: 'the model refused to answer',
  SYNTHESIS_LEAK: 'the reply repeats parts of the prompt',
  SYNTHESIS_TOO_SHORT: 'the record has {characters} characters, fewer than {limit}',
  SYNTHESIS_TOO_LONG: 'the record has {characters} characters, more than {limit}',
  SYNTHESIS_LANGUAGE: 'the record is in the language {language}, {wanted} is wanted',
  SYNTHESIS_LIKE_SOURCE: 'the record resembles its source: {similarity}, more than {limit}',
  SYNTHESIS_LIKE_RECORD: 'the record resembles an earlier one of the task: {similarity}, more than {limit}',
  SYNTHESIS_JUDGED: 'the judge gave {score}, less than {limit}',
  SYNTHESIS_JUDGE_FAILED: 'the call of the judge failed: {why}',
  SYNTHESIS_COLUMN: 'column {column}: {why}',
  SYNTHESIS_NO_FIELD: 'the column {column} has no field {field}',
  SYNTHESIS_EXPRESSION: 'the expression gives no value: {why}',
  SYNTHESIS_VALUE_TOO_LONG: 'the value is too long: the values of expressions have at most {limit} characters in all',
  SYNTHESIS_NO_MATCH: 'the value does not match {pattern}',
  SYNTHESIS_VALUE_SCHEMA: 'the value does not fit the schema: {why}',
  SYNTHESIS_VALUE_SHORT: 'the value has {characters} characters, fewer than {limit}',
  SYNTHESIS_VALUE_LONG: 'the value has {characters} characters, more than {limit}',
  SYNTHESIS_NO_CODE: 'there is no {language} in the value',
  SYNTHESIS_NOT_JSON: 'the value is no JSON',
  SYNTHESIS_CODE: 'the value is no {language}: line {line} can not be parsed',
  SYNTHESIS_NOT_GROUNDED: 'only {share} of {field} stands in the source, less than {limit}',
});

/** What may be wrong with a template or task: stands behind the name of a parameter. */
export const synthesisProblems = defineSentences('problems of synthesis', {
  SCHEMA_NONE: 'is no JSON Schema',
  SCHEMA_NO_OBJECT: 'must describe an object with properties',
  SCHEMA_TOO_DEEP: 'must have at most {limit} levels',
  SCHEMA_TOO_LARGE: 'must have at most {limit} parts once references are replaced',
  SCHEMA_REFERENCE: 'has a reference to nothing in its own $defs: {reference}',
  SCHEMA_PATTERN: 'has at {at} no regular expression of RE2: {why}',
  SCHEMA_KEYWORD: 'has a keyword that is not supported: {keyword}',
  VARIABLE_RESERVED: 'must not be text, row or file: these are of the source',
  VARIABLE_UNDECLARED: 'has an undeclared variable: {variable}',
  VARIABLE_UNKNOWN: 'is no variable of the template',
  FORMAT_NEEDS_FIELDS:
    '{format} needs records with turns, question and answer, instruction and output, or prompt and chosen; use RAW',
  GROUNDING_FIELD: 'names no field of outputSchema: {field}',
  NEEDS_PRICES: 'needs models with prices, and {model} has none; set its prices, or another cap',
  NAME_RESERVED: 'must not use the name {name}: it is reserved',
  COLUMN_RESERVED: 'is a word of the language of expressions; choose another name',
  COLUMN_IS_VARIABLE: 'is the name of a variable of the template; choose another one',
  COLUMN_NAMED_TWICE: 'is the name of an earlier column: {name}',
  COLUMN_FIELD: 'is no field of {kind}; leave it out',
  COLUMN_UNKNOWN: 'names neither a column nor a variable: {name}',
  COLUMN_NO_VALUE: 'names a validator, which has no value: {name}',
  COLUMN_CYCLE: 'depend on each other in a circle: {names}',
  COLUMN_EXPRESSION: 'is no expression of CEL: {why}',
  COLUMN_PATTERN: 'is no regular expression of RE2: {why}',
  COLUMN_NO_CHECK: 'needs one of schema, pattern, minCharacters, maxCharacters and code',
  COLUMN_WEIGHTS: 'must have one with a weight above 0',
  COLUMN_NO_NUMBER: 'leave no number with {decimals} digits behind the point',
  COLUMN_NO_DAY: 'is no day of the calendar: {day}',
  COLUMN_RECORD_CHECK: 'compares records; set it in the checks of the template',
  COLUMNS_ALL_HIDDEN: 'need one that is part of the record',
});

/** The log of a synthesis run, and why it ended. */
export const synthesisLog = defineSentences('runs of synthesis', {
  SYNTHESIS_TASK_DELETED: 'The task of the records was deleted',
  SYNTHESIS_NO_SAMPLES: 'The source has no samples: no file matches the prefix and types of the task, or all are empty',
  SYNTHESIS_MODEL_REFUSES: 'The model can not be used: {why}; resume the run when it can',
  SYNTHESIS_MODEL_DOWN:
    'The model failed {times} {times|time|times} in a row: {why}; resume the run when it answers again',
  SYNTHESIS_NOTHING_MADE: 'No record could be made: {why}',
  SYNTHESIS_RETRIED: 'Records that failed are tried again: {count}',
  SYNTHESIS_NOT_WRITTEN: 'Records that are no conversation were not written as {format}: {count}',
  SYNTHESIS_FILE_KEPT: 'No record is part of the result; the file of an earlier run stays',
  SYNTHESIS_READ:
    'Read {samples} {samples|sample|samples}; {skipped} {skipped|file is|files are} not meant for text, {empty} {empty|is|are} empty',
  SYNTHESIS_WRITTEN_BY: 'Synthesised by {task}',
  SYNTHESIS_EXPORTED: 'Records of {task} written again',
});
