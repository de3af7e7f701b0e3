/** `/openapi.json`: the API document, in the language of the caller. The page that shows it is at /docs (console.ts). */
import type { FastifyInstance } from 'fastify';
import { type Language, languageOf } from '../language.ts';
import type { ApiDocument } from '../openapi/document.ts';

export function docsRoutes(app: FastifyInstance, deps: { readonly headerPrefixes: readonly string[] }): void {
  const [prefix] = deps.headerPrefixes;
  const documents = new Map<Language, string>();

  app.get('/openapi.json', async (request, reply) => {
    const language = languageOf(request.headers['accept-language']);
    const document = documents.get(language) ?? JSON.stringify(await documentIn(language));
    documents.set(language, document);
    return reply
      .header('content-type', 'application/json')
      .header('content-language', language)
      .header('vary', 'accept-language')
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .send(document);
  });

  /** Loaded when it is asked for: its words in Korean would take a twentieth of every start. */
  async function documentIn(language: Language): Promise<ApiDocument> {
    const { apiDocument } = await import('../openapi/document.ts');
    return apiDocument(prefix, language);
  }
}
