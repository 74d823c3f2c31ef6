import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import { NewTagBody, TagChangesBody, TagParams, TagSchema, TagsQuery, TagsSchema } from './schemas/tags.ts';
import type { Tags } from './datasets/tags.ts';

const tags = ['Tags'];

/** Tags, shared by all datasets. */
export function tagRoutes({ tags: tagList }: { tags: Tags }): AreaRoutes {
  return (app) => {
    app.get(
      '/tags',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listTags',
          summary: 'List tags by name',
          tags,
          querystring: TagsQuery,
          response: { 200: TagsSchema },
        },
      },
      (request) => tagList.list(request.query.keyword),
    );
    app.post(
      '/tags',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'createTag',
          summary: 'Create a tag',
          tags,
          body: NewTagBody,
          response: { 201: TagSchema },
        },
      },
      (request) => tagList.create(request.body),
    );
    app.put(
      '/tags/:tagId',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'updateTag',
          summary: 'Change the name, colour or description of a tag',
          tags,
          params: TagParams,
          body: TagChangesBody,
          response: { 200: TagSchema },
        },
      },
      (request) => tagList.update(request.params.tagId, request.body),
    );
    app.delete(
      '/tags/:tagId',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'deleteTag',
          summary: 'Delete a tag and remove it from all datasets',
          tags,
          params: TagParams,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await tagList.remove(request.params.tagId);
        return null;
      },
    );
  };
}
