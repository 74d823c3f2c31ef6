import type { AreaRoutes } from '../../http/routes.ts';
import type { Operators } from './operators.ts';
import { OperatorParams, OperatorSchema } from './schemas/operators.ts';
import { VersionChoiceBody } from './schemas/versions.ts';

const tags = ['Operator market'];

/** Installing, approving and disabling operators. */
export function installationRoutes({ operators }: { operators: Operators }): AreaRoutes {
  return (app) => {
    app.post(
      '/operators/:id/install',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'installOperator',
          summary: 'Install a version of an operator, replacing the installed one',
          tags,
          params: OperatorParams,
          body: VersionChoiceBody,
          response: { 200: OperatorSchema },
        },
      },
      (request) => operators.install(request.params.id, request.body.version, request.principal),
    );
    app.post(
      '/operators/:id/uninstall',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'uninstallOperator',
          summary: 'Uninstall an operator; tasks that use it remain and report that it is missing',
          tags,
          params: OperatorParams,
          response: { 200: OperatorSchema },
        },
      },
      (request) => operators.uninstall(request.params.id, request.principal),
    );
    app.post(
      '/operators/:id/approve',
      {
        config: { access: 'ADMIN' },
        schema: {
          operationId: 'approveOperator',
          summary: 'Approve the capabilities that a version of an operator requests',
          tags,
          params: OperatorParams,
          body: VersionChoiceBody,
          response: { 200: OperatorSchema },
        },
      },
      (request) => operators.approve(request.params.id, request.body.version, request.principal),
    );
    for (const [action, disabled, summary] of [
      ['disable', true, 'Disable an operator: no task can use it'],
      ['enable', false, 'Enable a disabled operator'],
    ] as const) {
      app.post(
        `/operators/:id/${action}`,
        {
          config: { access: 'ADMIN' },
          schema: {
            operationId: `${action}Operator`,
            summary,
            tags,
            params: OperatorParams,
            response: { 200: OperatorSchema },
          },
        },
        (request) => operators.setDisabled(request.params.id, disabled, request.principal),
      );
    }
  };
}
