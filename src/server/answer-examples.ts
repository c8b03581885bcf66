// The examples that routes give for their answers, in the published document. The framework's transformation
// of schemas leaves them out.

import type { createJsonSchemaTransform } from 'fastify-type-provider-zod';
import type { Limits } from '../protocol/limits.ts';
import type { Answer } from './answers.ts';
import { type ExampleRoute, exampleRefusal } from './example-refusals.ts';

/** An operation of the document, as far as something is added to it here. */
interface Operation {
  readonly responses?: Record<string, PublishedAnswer>;
}
interface PublishedAnswer {
  headers?: object;
  readonly content?: Record<string, { example?: unknown; examples?: object }>;
}
export type Paths = Readonly<Record<string, Record<string, Operation>>>;
type Transforming = Parameters<ReturnType<typeof createJsonSchemaTransform>>[0];

export class AnswerExamples {
  private readonly limits: Limits;
  private readonly routes: Transforming[] = [];

  constructor(limits: Limits) {
    this.limits = limits;
  }

  gather(route: Transforming): void {
    if (route.schema?.hide !== true) this.routes.push(route);
  }

  addTo(paths: Paths): void {
    for (const { schema, url, route } of this.routes) {
      const path = url.replaceAll(/:(\w+)/g, '{$1}');
      const method = [route.method].flat()[0]!;
      const published = paths[path]?.[method.toLowerCase()]?.responses ?? {};
      const parts = schema as Pick<ExampleRoute, 'body' | 'querystring'>;
      const asked = { ...parts, method, url, limits: this.limits, ...configOf(route) };
      const told = (schema?.response ?? {}) as Record<string, Partial<Answer>>;
      for (const [status, answer] of Object.entries(told)) {
        const media = published[status]?.content?.['application/json'];
        if (media !== undefined) addExamples(media, answer, asked);
      }
    }
  }
}

function configOf({ config }: Transforming['route']): Pick<ExampleRoute, 'config'> {
  return config === undefined ? {} : { config };
}

function addExamples(
  media: { example?: unknown; examples?: object },
  { content, refusals }: Partial<Answer>,
  route: ExampleRoute,
): void {
  const example = content?.['application/json']?.example;
  if (example !== undefined) media.example = example;
  if (refusals === undefined) return;
  const entries = refusals.map((each): [string, object] => [
    each.code,
    { value: exampleRefusal(each.code, route, each.example) },
  ]);
  media.examples = Object.fromEntries(entries);
}
