import { defineSentences } from '../../kernel/sentence-catalogue.ts';

/** What is wrong with a statement. */
export const queryProblems = defineSentences('queries', {
  QUERY_TOO_SLOW: 'it takes longer than {seconds} s',
  QUERY_NEEDS_MEMORY: 'it needs more than {limit} MiB of memory; ask for fewer rows or columns at once',
  QUERY_NEEDS_DISK: 'it needs more than {limit} MiB of disk for what it sorts, joins or writes',
  QUERY_ENDED: 'the process that ran it ended with {how}',
  QUERY_HOLDS_NUL: 'a query holds no NUL; write chr(0)',
  QUERY_NO_TABLE: 'there is no table {table}',
  QUERY_NO_TABLE_IN_VERSION: 'there is no table {table}; the tables of this version are its files: {schema}."PATH"',
  QUERY_TABLES_ALIKE: '{name} may be {tables}; name it by its path',
  QUERY_TABLES_DIFFER_IN_CASE: '{one} and {other} differ only in case; a query can read one of them',
  QUERY_EMPTY: 'there is no statement',
  QUERY_MANY: 'there are {count} statements; a query is a single SELECT',
  QUERY_WITH_NAME: 'a WITH can not be named {name}',
  QUERY_FUNCTION_SCHEMA: 'a function has no schema: {name}',
  QUERY_FUNCTION_REFUSED: 'the function {name} can not be used in a query',
  QUERY_PARAMETER: 'a query has no parameters; write the value',
  QUERY_TABLE_FUNCTION:
    '{name}(…) can not be used in the place of a table; the tables are files of the dataset, files."PATH"',
  QUERY_SHOW: 'SHOW can not be used in a query; DESCRIBE and SUMMARIZE of a table can',
  QUERY_PIVOT: "a PIVOT in a query names its values: PIVOT … ON lang IN ('en', 'de') USING count(*)",
  QUERY_NOT_SELECT: 'only a SELECT, DESCRIBE or SUMMARIZE can be run here; a query changes nothing',
  QUERY_UNEXPECTED: 'unexpected {token}',
  QUERY_ENDS_EARLY: 'the statement ends too early',
});
