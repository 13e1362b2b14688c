import { type Query, ReadError } from '../../cluster.ts';
import { withoutSecrets } from '../credentials/mask-secrets.ts';
import type { ExchangedResponse } from './exchange.ts';
import { checkShape, LimitExceeded } from './limits.ts';
import { refusalError, unreadableBody } from './response-error.ts';
import type { Transport } from './transport.ts';

/** Sends requests, and converts their responses to values or ReadErrors. */
export interface ApiResponses {
  /** Throws ReadError for a status other than 2xx. */
  successful(path: string, query: Query | undefined, accept: string): Promise<ExchangedResponse>;
  /** Throws ReadError for a status other than 2xx. */
  refuseUnlessOk(response: ExchangedResponse, path: string): void;
  /** Returns the body as JSON. Throws ReadError if it is not a JSON object or exceeds a limit. */
  json<T>(response: ExchangedResponse, path: string): T;
  /** The error for a body that does not match the API. */
  malformed(response: ExchangedResponse, path: string, detail?: string): ReadError;
}

/**
 * The error for a response that exceeds a limit of this program.
 *
 * @param what the words before the path: `list`, `response for`.
 */
export const tooLarge = (path: string, what: string, limit: LimitExceeded): ReadError =>
  new ReadError(`the ${what} ${path} ${limit.message}`, { reason: 'too-large', path }, limit);

/**
 * Handles the responses of one API server.
 *
 * @param server its URL, for messages.
 */
export function apiResponses(transport: Transport, server: string): ApiResponses {
  const refuseUnlessOk = (response: ExchangedResponse, path: string): void => {
    if (response.status >= 200 && response.status < 300) return;
    throw refusalError(response, path, server, (text) => withoutSecrets(text, [...transport.secrets]));
  };
  return {
    refuseUnlessOk,
    async successful(path, query, accept) {
      const response = await transport.fetch(path, query, accept);
      refuseUnlessOk(response, path);
      return response;
    },
    json<T>(response: ExchangedResponse, path: string): T {
      try {
        checkShape(response.body);
        const value: unknown = JSON.parse(response.body.toString('utf8'));
        if (typeof value === 'object' && value !== null) return value as T;
      } catch (error) {
        if (error instanceof LimitExceeded) throw tooLarge(path, 'response for', error);
        // The parser's message would quote the body.
      }
      throw unreadableBody(response, path, server);
    },
    malformed: (response, path, detail) => unreadableBody(response, path, server, detail),
  };
}
