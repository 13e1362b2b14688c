import type { Pod } from '../../facts/objects/pod.ts';
import { wholeNumber } from './list.ts';
import { type ApiObject, fieldOf } from './object-store.ts';
import { type ApiAnswer, badRequest, textAnswer } from './status.ts';

/** Container logs by `namespace/pod/container`; those of the previous run have the suffix `/previous`. */
export type PodLogs = ReadonlyMap<string, string>;

const lastLines = (text: string, count: number): string =>
  text
    .split(/(?<=\n)/)
    .slice(count === 0 ? Number.POSITIVE_INFINITY : -count)
    .join('');

/** Container names of a Pod in the order of the API server's messages. */
const containersOf = (pod: ApiObject): readonly string[] =>
  ['spec.initContainers', 'spec.containers', 'spec.ephemeralContainers'].flatMap((path) =>
    ((fieldOf(pod, path) as readonly { readonly name: string }[] | undefined) ?? []).map(({ name }) => name),
  );

function isRunning({ status }: ApiObject, container: string): boolean {
  const { containerStatuses = [] } = (status ?? {}) as Pick<Pod['status'], 'containerStatuses'>;
  return containerStatuses.some(({ name, state }) => name === container && state?.running !== undefined);
}

/** Response to a GET of pods/log. For a container that never ran: why it waits. */
export function logAnswer(pod: ApiObject, query: URLSearchParams, logs: PodLogs): ApiAnswer {
  const { name, namespace = '' } = pod.metadata;
  const names = containersOf(pod);
  const only = names.length === 1 ? names[0] : undefined;
  const container = query.get('container') ?? only;
  if (container === undefined)
    return badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`,
    );
  if (!names.includes(container)) return badRequest(`container ${container} is not valid for pod ${name}`);
  const tail = wholeNumber(query, 'tailLines');
  const limit = wholeNumber(query, 'limitBytes');
  const previous = ['true', '1'].includes(query.get('previous') ?? '');
  const text = logs.get(`${namespace}/${name}/${container}${previous ? '/previous' : ''}`);
  if (text === undefined) {
    if (!previous && isRunning(pod, container)) return textAnswer(200, '');
    return badRequest(
      previous
        ? `previous terminated container "${container}" in pod "${name}" not found`
        : `container "${container}" in pod "${name}" is waiting to start: ContainerCreating`,
    );
  }
  const lines = tail === undefined ? text : lastLines(text, tail);
  return {
    ...textAnswer(200, limit === undefined ? lines : lines.slice(0, limit)),
    contentType: 'text/plain',
  };
}
