import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parameterProblemOf, problemWords } from './step-problem.ts';

test('a refusal tells the step and the parameter', () => {
  assert.deepEqual(parameterProblemOf('steps[2].params.min must not be greater than max (90 > 20)'), {
    step: 2,
    field: 'min',
    problem: 'must not be greater than max (90 > 20)',
  });
  assert.deepEqual(parameterProblemOf('steps[1].params.references[0].datasetId is not the id of a dataset: "x"'), {
    step: 1,
    field: 'references',
    problem: 'is not the id of a dataset: "x"',
  });
  assert.deepEqual(parameterProblemOf('steps[0].operatorId is not an installed operator: "x"'), {
    step: 0,
    field: undefined,
    problem: 'is not an installed operator: "x"',
  });
  assert.equal(parameterProblemOf('input.textField is required: a.csv has no string column'), undefined);
});

test('common problems have words of their own', () => {
  assert.deepEqual(problemWords('must not be greater than max (90 > 20)'), { key: 'notAbove', limit: 'max' });
  assert.deepEqual(problemWords('must be at least 1'), { key: 'min', limit: '1' });
  assert.deepEqual(problemWords('is required'), { key: 'required', limit: '' });
  assert.equal(problemWords('must be sorted'), undefined);
});
