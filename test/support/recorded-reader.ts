import { type ClusterReader, ReadError, type ReadErrorReason } from '../../src/collect/cluster.ts';

/** Responses by path: items of a collection, one object, a text, or the error of the read. */
export type Answers = Readonly<
  Record<string, readonly unknown[] | Readonly<Record<string, unknown>> | string>
>;
export type Failures = Readonly<Record<string, ReadErrorReason>>;

/**
 * A reader with fixed responses that records the requests. A path without a response is an empty list or a
 * 404.
 */
export function recordedReader(
  answers: Answers,
  failures: Failures = {},
): ClusterReader & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  const ask = (path: string, query: Readonly<Record<string, unknown>> = {}): unknown => {
    const parameters = Object.entries(query).map(([name, value]) => `${name}=${String(value)}`);
    asked.push(parameters.length === 0 ? path : `${path}?${parameters.join('&')}`);
    const reason = failures[path];
    if (reason !== undefined)
      throw new ReadError(`${path}: ${reason}`, { reason, path, serverMessage: `no ${path} for you` });
    return answers[path];
  };
  return {
    server: 'https://cluster.example',
    context: 'test',
    namespace: 'default',
    asked,
    get: async <T>(path: string, query?: Readonly<Record<string, unknown>>) =>
      ask(path, query) as T | undefined,
    list: async <T>(path: string, query?: Readonly<Record<string, unknown>>) => ({
      items: (ask(path, query) ?? []) as readonly T[],
      resourceVersion: '1',
    }),
    // As the kubelet: the last lines only.
    text: async (path, query) =>
      String(ask(path, query) ?? '')
        .split('\n')
        .slice(-Number(query?.tailLines ?? 0))
        .join('\n'),
    lines: async (path, each) => {
      const text = ask(path);
      if (text === undefined) throw new ReadError(path, { reason: 'not-served', path, status: 404 });
      for (const line of String(text).split('\n')) each(line);
    },
    close: () => undefined,
  };
}
