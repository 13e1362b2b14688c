import { StringDecoder } from 'node:string_decoder';
import { limits } from '../../facts/limits.ts';
import { type ClusterReader, type Query, ReadError, type Trim } from '../cluster-reader.ts';
import { apiResponses } from './api-responses.ts';
import type { Connection } from './connection.ts';
import { ResponseLimitExceeded } from './limits.ts';
import { type ListTotals, readPages } from './list-pages.ts';
import { isAbsent } from './refusal.ts';
import { showUrl } from './server-url.ts';
import type { Transport } from './transport.ts';

/** Objects per page: large pages compress, small ones (below 128 KiB) do not. */
const pageSize = 1000;

/** Receives the chunks of a body. */
interface LineSplitter {
  readonly take: (chunk: Buffer) => void;
  /** Emits the last line, if it has no line end. */
  readonly end: () => void;
}

/**
 * Splits a body that arrives in chunks into UTF-8 lines, and buffers one line at a time.
 *
 * @param longest maximum characters per line; the rest of a line is dropped.
 */
function lineSplitter(each: (line: string) => void, longest = 64 * 1024): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let begun = '';
  const add = (text: string): void => {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      each(begun + line);
      begun = '';
    }
    if (begun.length < longest) begun += last;
  };
  return {
    take: (chunk) => add(decoder.write(chunk)),
    end: () => {
      add(decoder.end());
      if (begun !== '') each(begun);
    },
  };
}

/**
 * Reads a cluster over `transport`: the JSON of the API server, without conversion.
 *
 * @param at opens a reader for another API server of the cluster.
 */
export function kubeReader(
  connection: Connection,
  transport: Transport,
  at?: ClusterReader['at'],
): ClusterReader {
  const server = showUrl(connection.server);
  const api = apiResponses(transport, server);
  const totals: ListTotals = { bytes: 0, lists: 0 };
  return {
    server,
    context: connection.context,
    namespace: connection.namespace,

    async get<T>(path: string, query?: Query, accept = 'application/json') {
      const response = await transport.fetch(path, query, accept);
      if (isAbsent(response)) return undefined;
      api.refuseUnlessOk(response, path);
      return api.json<T>(response, path);
    },

    async list<T>(path: string, query: Query = {}, accept = 'application/json', keep?: Trim<T>) {
      const pages = (limit: number | undefined) =>
        readPages<T>(api, totals, { path, query: { limit, ...query }, accept, keep });
      try {
        return await pages(pageSize);
      } catch (error) {
        // A page of large objects exceeds the response limit: CRDs of a cluster that has thousands of them.
        if (error instanceof ReadError && error.cause instanceof ResponseLimitExceeded)
          return await pages(pageSize / 20);
        // 410: compaction removed the next pages. One page cannot expire; client-go's pager does the same.
        if (!(error instanceof ReadError) || error.status !== 410) throw error;
        return await readPages<T>(api, totals, { path, query: { ...query, limit: undefined }, accept, keep });
      }
    },

    async text(path: string, query?: Query) {
      return (await api.successful(path, query, '*/*')).body.toString('utf8');
    },

    async lines(path: string, each: (line: string) => void) {
      const split = lineSplitter(each);
      api.refuseUnlessOk(await transport.fetch(path, undefined, 'text/plain', split.take), path);
      split.end();
    },

    async watch(path: string, query: Query, each: (line: string) => void, signal: AbortSignal) {
      const split = lineSplitter(each, limits.response);
      const request = { method: 'GET', path, query, take: split.take, signal, lasting: true } as const;
      api.refuseUnlessOk(await transport.aside(request), path);
      split.end();
    },

    ...(at === undefined ? {} : { at }),
    close: transport.close,
  };
}
