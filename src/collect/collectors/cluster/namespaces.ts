import { complete } from '../../../facts/lookup.ts';
import type { Namespace } from '../../../facts/objects/namespace.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { isRead } from '../../attempts.ts';
import { defineCollector, eachKey, fromReadings } from '../../collector.ts';
import { namespacesNamed } from '../everywhere.ts';

/** Collects all Namespaces; if listing is forbidden, gets one by one those that webhooks refer to. */
export const namespaces = defineCollector({
  fact: 'namespaces',
  needs: ['callouts'],
  permissions: [
    toRead(
      resources.Namespace,
      ['list'],
      'cluster',
      'existing namespaces, and the labels that selectors match',
    ),
  ],
  otherwise: 'Namespaces',
  async readAll(access, known) {
    const all = await access.list<Namespace>(resources.Namespace);
    if (isRead(all)) return complete(all.value.map((namespace) => [namespace.metadata.name, namespace]));
    const { unread } = all;
    const single = unread.why === 'forbidden' ? namespacesNamed(await known(['callouts'])) : [];
    // The forbidden list is already reported.
    const readings = await eachKey(single, (name) =>
      access.get<Namespace>(resources.Namespace, name, { refusable: true }),
    );
    return fromReadings(readings, unread);
  },
});
