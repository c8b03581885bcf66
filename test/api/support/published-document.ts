// Validates answers against `/openapi.json`: an address, method or status that it does not have, or
// a body that breaks its schema, fails the test.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import assert from 'node:assert/strict';
import type { Answer } from './live-server.ts';

export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly requestBody?: { readonly content: Content };
}

export interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly description?: string;
}

type Content = Readonly<Record<string, { readonly schema: object }>>;

const documentId = 'openapi.json';
/** Not part of the published interface: pages and their files. */
const pages =
  /^\/($|docs|login\.|openapi\.json|asyncapi\.json|status\.|favicon\.|healthz$|readyz$)/;

export class PublishedDocument {
  readonly document: OpenApiDocument;
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false });
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.document = document;
    this.ajv.addSchema(document, documentId);
  }

  check(method: string, path: string, answer: Answer): void {
    if (answer.status >= 400 && method !== 'HEAD') this.checkRefusal(answer);
    const template = this.findTemplate(path.split('?', 1)[0]!);
    if (template === undefined || method === 'HEAD' || answer.status === 405) return;
    const operation = this.document.paths[template]![method.toLowerCase()];
    if (operation === undefined) return;
    const where = `${method} ${template} → ${answer.status}`;
    const response = operation.responses[String(answer.status)];
    assert(response, `${where} is not in the document`);
    const type = (answer.headers.get('content-type') ?? '').split(';', 1)[0]!;
    assert(Object.hasOwn(response.content ?? {}, type), `${where} answers ${type}`);
    if (type !== 'application/json') return;
    const pointer = ['paths', template, method.toLowerCase(), 'responses', answer.status];
    this.validate([...pointer, 'content', type, 'schema'], answer.body, where);
  }

  /** Validates anything against the schema at this place of the document. */
  validate(pointer: readonly (string | number)[], value: unknown, where: string): void {
    const validator = this.validatorAt(pointer);
    const isValid = validator(value);
    assert(isValid, `${where}: ${JSON.stringify(validator.errors)}`);
  }

  validatorAt(pointer: readonly (string | number)[]): ValidateFunction {
    const path = pointer.map((key) =>
      encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    const $ref = `${documentId}#/${path.join('/')}`;
    const known = this.validators.get($ref) ?? this.ajv.compile({ $ref });
    this.validators.set($ref, known);
    return known;
  }

  private checkRefusal(answer: Answer): void {
    const { detail, code } = answer.body ?? {};
    assert(typeof detail === 'string', `detail of ${answer.status}: ${answer.text.slice(0, 200)}`);
    assert(typeof code === 'string', `code of ${answer.status}`);
  }

  private findTemplate(path: string): string | undefined {
    if (pages.test(path)) return undefined;
    const given = path.split('/');
    const templates = Object.keys(this.document.paths);
    const exact = templates.find((template) => template === path);
    return (
      exact ??
      templates.find((template) => {
        const wanted = template.split('/');
        return (
          wanted.length === given.length &&
          wanted.every((part, i) => (part.startsWith('{') ? given[i] !== '' : part === given[i]))
        );
      })
    );
  }
}
