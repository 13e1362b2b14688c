import { ReadError } from '../collect/cluster.ts';
import { withoutSecrets } from '../collect/kube/credentials/mask-secrets.ts';
import type { ExchangedResponse } from '../collect/kube/http/exchange.ts';
import type { Transport } from '../collect/kube/http/transport.ts';
import { statusOf } from '../collect/status.ts';
import {
  type ClusterWriter,
  fieldManager,
  WriteError,
  type WriteOptions,
  type WriteRequest,
} from './cluster-writer.ts';

/** Milliseconds: longer than the API server needs for any write (34 s, observed on 1.35). */
const longest = 60_000;

/** Writes to a cluster over `transport`. Only change/ may use it. */
export function kubeWriter(transport: Transport): ClusterWriter {
  const failed = (
    { status: code, ...answer }: ExchangedResponse,
    { method, path }: WriteRequest,
  ): WriteError => {
    const errorText = statusOf(answer)?.message ?? answer.body.toString('utf8').slice(0, 300);
    const message = withoutSecrets(errorText, [...transport.secrets]).trim();
    const failure = code >= 500 || code < 400 ? 'unknown' : 'refused';
    return new WriteError(message || `${method} ${path} returned ${code}`, failure, code, message);
  };

  return {
    async write<T>(request: WriteRequest, { dryRun = false, timeout = longest }: WriteOptions = {}) {
      const { method, path, contentType, body } = request;
      const answer = await transport
        .send({
          method,
          path,
          query: {
            // The API server ignores the query of a DELETE with a body
            // (apiserver/pkg/endpoints/handlers/delete.go).
            ...(dryRun ? { dryRun: 'All' } : {}),
            ...(method === 'DELETE' ? {} : { fieldManager }),
          },
          contentType,
          body: dryRun && method === 'DELETE' ? { ...body, dryRun: ['All'] } : body,
          signal: AbortSignal.timeout(timeout),
        })
        .catch((error: unknown) => {
          if (!(error instanceof ReadError)) throw error;
          // Without a credential, no request was sent.
          throw new WriteError(error.message, error.reason === 'unauthorized' ? 'refused' : 'unknown');
        });
      if (answer.status < 200 || answer.status > 299) throw failed(answer, request);
      try {
        return JSON.parse(answer.body.toString('utf8')) as T;
      } catch {
        throw new WriteError(`the response to ${method} ${path} cannot be read`, 'unknown', answer.status);
      }
    },
  };
}
