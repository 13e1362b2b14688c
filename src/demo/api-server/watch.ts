import { SelectorError } from '../../facts/label-selector-text.ts';
import { groupOf } from '../../facts/resource.ts';
import type { ApiObject } from './api-object.ts';
import { type CollectionRequest, metadataOf, selectionOf } from './list.ts';
import type { ObjectStore, StoreChange } from './object-store.ts';
import { type ApiAnswer, badRequest, failure } from './status.ts';

type Follow = NonNullable<ApiAnswer['stream']>;

const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;

/** The bookmark after the present objects, for which client-go waits (apiserver storage/cacher). */
const initialEnd = ({ resource: { kind, group, version } }: CollectionRequest, store: ObjectStore) => ({
  apiVersion: group === '' ? version : `${group}/${version}`,
  kind,
  metadata: {
    resourceVersion: `${store.revision()}`,
    annotations: { 'k8s.io/initial-events-end': 'true' },
  },
});

/**
 * Streams changes of a list's objects, one line each, until the client disconnects or the timeout is reached.
 * Without a revision it starts with all present objects (apiserver/pkg/endpoints/handlers/watch.go).
 */
export function watchAnswer(request: CollectionRequest, store: ObjectStore): ApiAnswer {
  const { resource, query, metadataOnly } = request;
  const shown = (object: ApiObject): unknown => (metadataOnly ? metadataOf(object) : object);
  let selected: (object: ApiObject) => boolean;
  try {
    selected = selectionOf(request);
  } catch (error) {
    if (error instanceof SelectorError) return badRequest(error.message);
    throw error;
  }
  const from = Number(query.get('resourceVersion') ?? 0);
  if (from > 0 && from < store.oldest()) {
    const expired = failure(410, 'Expired', `too old resource version: ${from} (${store.oldest()})`);
    const expiredStream: Follow = async (write) => write(line('ERROR', JSON.parse(expired.body)));
    return { status: 200, contentType: 'application/json', body: '', stream: expiredStream };
  }
  const seconds = Number(query.get('timeoutSeconds') ?? 0) || 1800;
  /** An object that no longer matches the selector is reported as deleted. */
  const watchLine = ({ type, object, before }: StoreChange): string | undefined => {
    if (object.kind !== resource.kind || groupOf(object.apiVersion) !== resource.group) return undefined;
    const was = before !== undefined && selected(before);
    const is = type !== 'DELETED' && selected(object);
    if (!was && !is) return undefined;
    return line(was ? (is ? 'MODIFIED' : 'DELETED') : 'ADDED', shown(object));
  };
  const stream: Follow = (write, signal) =>
    new Promise((resolve) => {
      const all = store.of(resource.group, resource.kind);
      if (from === 0) for (const object of all.filter(selected)) write(line('ADDED', shown(object)));
      if (query.get('sendInitialEvents') === 'true') write(line('BOOKMARK', initialEnd(request, store)));
      const leave = store.follow(from === 0 ? store.revision() : from, (change) => {
        const text = watchLine(change);
        if (text !== undefined) write(text);
      });
      const over = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
      over.addEventListener('abort', () => {
        leave();
        resolve();
      });
    });
  return { status: 200, contentType: 'application/json', body: '', stream };
}
