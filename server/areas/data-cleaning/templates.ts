import type { Clock } from '../../kernel/clock.ts';
import type { Operator } from '../../operators/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { createTemplates, type BuiltIn, type Templates } from '../../tasks/index.ts';
import { builtInTemplates } from './built-in-templates.ts';
import { cleaningErrors } from './errors.ts';
import type { NewStep } from './schemas/tasks.ts';
import type { StepOperators } from './step-operators.ts';
import { parseSteps } from './steps.ts';
import type { NewTemplate, TemplateSteps } from './schemas/templates.ts';

/** Named lists of steps; they throw TEMPLATE_NOT_FOUND, TEMPLATE_BUILT_IN, TEMPLATE_ALREADY_EXISTS. */
export type CleaningTemplates = Templates<'cleaning_templates', NewTemplate, TemplateSteps>;

export function createCleaningTemplates({
  db,
  clock,
  catalogue,
  builtIn = builtInTemplates,
}: {
  db: Database;
  clock: Clock;
  catalogue: StepOperators;
  builtIn?: readonly BuiltIn<NewTemplate>[];
}): CleaningTemplates {
  return createTemplates<'cleaning_templates', NewTemplate, TemplateSteps, readonly Operator[]>(
    { db, clock },
    {
      table: 'cleaning_templates',
      builtIn,
      errors: {
        notFound: (id) => cleaningErrors.TEMPLATE_NOT_FOUND({ id }),
        builtIn: (id) => cleaningErrors.TEMPLATE_BUILT_IN({ id }),
        alreadyExists: (name, options) => cleaningErrors.TEMPLATE_ALREADY_EXISTS({ name }, options),
      },
      prepare: ({ steps = [] }) => catalogue.operatorsFor(steps),
      define: ({ steps }, _before, usable) => ({ steps: stepsOf(steps, usable) }),
      // Unchanged steps are not validated again: their operators may have changed, which is reported when the template is used.
      change: (before, { steps }, usable) => ({ steps: steps === undefined ? before.steps : stepsOf(steps, usable) }),
      show: ({ steps }) => ({ steps: JSON.parse(steps) as TemplateSteps['steps'] }),
    },
  );
}

/** Steps with complete parameters; a version is pinned if requested. */
function stepsOf(given: readonly NewStep[], usable: readonly Operator[]): string {
  const steps: TemplateSteps['steps'] = parseSteps(usable, given).map(({ operatorId, params }, index) => {
    const version = given[index]?.version;
    return { operatorId, ...(version === undefined ? {} : { version }), params: { ...params } };
  });
  return JSON.stringify(steps);
}
