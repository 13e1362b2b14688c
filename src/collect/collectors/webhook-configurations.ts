import type { AdmissionCallout } from '../../facts/callout.ts';
import { admissionCallouts, type ConfigurationObject } from '../../facts/callout-of.ts';
import { limits } from '../../facts/limits.ts';
import { lookup } from '../../facts/lookup.ts';
import { resources, toRead } from '../../facts/resource.ts';
import type { Right } from '../../facts/right.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { type Attempts, isRead, type Reading } from '../attempts.ts';
import { defineCollector } from '../collector.ts';

export const admissionRights: readonly Right[] = [
  toRead(resources.ValidatingWebhookConfiguration, ['list'], 'cluster', 'webhooks'),
  toRead(resources.MutatingWebhookConfiguration, ['list'], 'cluster', 'webhooks'),
];

type ConfigurationList = Reading<readonly ConfigurationObject[]>;

interface Admission {
  readonly callouts: readonly AdmissionCallout[];
  /** Names of all configurations, those that hold no webhook among them, by kind. */
  readonly configurations: Facts['configurations'];
}

function namesOf(
  lists: Readonly<Record<AdmissionCallout['kind'], ConfigurationList>>,
): Admission['configurations'] {
  const read = Object.entries(lists).flatMap(([kind, list]) =>
    isRead(list) ? [[kind, list.value.map(({ metadata }) => metadata.name)] as const] : [],
  );
  const [unread] = Object.values(lists).flatMap((list) => (isRead(list) ? [] : [list.unread]));
  return lookup(new Map(read), { others: unread });
}

async function readAdmission(read: Attempts): Promise<Admission> {
  const [mutating, validating] = (await Promise.all(
    [resources.MutatingWebhookConfiguration, resources.ValidatingWebhookConfiguration].map(async (kind) => {
      const list = await read.list<ConfigurationObject>(kind);
      const held = isRead(list)
        ? list.value.reduce((sum, { webhooks }) => sum + (webhooks?.length ?? 0), 0)
        : 0;
      if (held <= limits.webhooks) return list;
      return read.refuse(
        { resource: kind.plural, verb: 'list' },
        `they hold more than ${limits.webhooks} webhooks`,
      );
    }),
  )) as [ConfigurationList, ConfigurationList];
  const calloutsOf = (kind: AdmissionCallout['kind'], list: ConfigurationList) =>
    isRead(list) ? list.value.flatMap((raw) => admissionCallouts(kind, raw)) : [];
  return {
    callouts: [...calloutsOf('mutating', mutating), ...calloutsOf('validating', validating)],
    configurations: namesOf({ mutating, validating }),
  };
}

/** Two facts come of the same two lists. */
const made = new WeakMap<Attempts, Promise<Admission>>();

/** Reads both configuration lists; one that cannot be read leaves the other. */
export function admissionOf(read: Attempts): Promise<Admission> {
  const known = made.get(read) ?? readAdmission(read);
  made.set(read, known);
  return known;
}

export const configurations = defineCollector({
  fact: 'configurations',
  needs: [],
  rights: admissionRights,
  otherwise: 'names of webhook configurations',
  readAll: async (access) => (await admissionOf(access)).configurations,
});
