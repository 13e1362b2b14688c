import { limits } from '../../../basics/limits.ts';
import type { AdmissionCallout } from '../../../facts/callout.ts';
import { admissionCallouts, type ConfigurationObject } from '../../../facts/callout-of.ts';
import { lookup } from '../../../facts/lookup.ts';
import { type Permission, resources, toRead } from '../../../facts/resource.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import type { Unread } from '../../../facts/unread.ts';
import { type Attempts, isRead, type Reading } from '../../attempts.ts';
import { defineCollector } from '../../collector.ts';

/** The permissions for reads of webhook configurations. */
export const admissionPermissions: readonly Permission[] = [
  toRead(resources.ValidatingWebhookConfiguration, ['list'], 'cluster', 'webhooks'),
  toRead(resources.MutatingWebhookConfiguration, ['list'], 'cluster', 'webhooks'),
];

type ConfigurationList = Reading<readonly ConfigurationObject[]>;

interface Admission {
  readonly callouts: readonly AdmissionCallout[];
  /** Names of all configurations by kind, including configurations without webhooks. */
  readonly configurations: Facts['configurations'];
}

/** The configurations of one kind; `unread` if they are incomplete. */
interface OfKind {
  readonly list: ConfigurationList;
  readonly unread: Unread | undefined;
}

async function configurationsOf(
  read: Attempts,
  kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration',
): Promise<OfKind> {
  const { plural } = resources[kind];
  const held = new Map<string, number>();
  let total = 0;
  let unread: Unread | undefined;
  const list = await read.list<ConfigurationObject>(resources[kind], {
    // Reduces objects again when a watch reports a change.
    keep: (object: ConfigurationObject | null) => {
      const { name = '' } = object?.metadata ?? {};
      const webhooks = Array.isArray(object?.webhooks) ? object.webhooks.length : 0;
      const others = total - (held.get(name) ?? 0);
      if (others + webhooks > limits.webhooks) return undefined;
      total = others + webhooks;
      held.set(name, webhooks);
      return object;
    },
    whyDropped: (left, kept) => {
      const detail = `${left} of ${left + kept} configurations are not examined: the limit is ${limits.webhooks} webhooks`;
      unread = { what: { resource: plural, verb: 'list' }, why: 'too-large', detail };
      return detail;
    },
  });
  return { list, unread: isRead(list) ? unread : list.unread };
}

function namesOf(lists: Readonly<Record<AdmissionCallout['kind'], OfKind>>): Admission['configurations'] {
  const complete = Object.entries(lists).flatMap(([kind, { list, unread }]) =>
    isRead(list) && unread === undefined
      ? [[kind, list.value.map(({ metadata }) => metadata.name)] as const]
      : [],
  );
  const others = Object.values(lists).find(({ unread }) => unread !== undefined)?.unread;
  return lookup(new Map(complete), { others });
}

async function readAdmission(read: Attempts): Promise<Admission> {
  const [mutating, validating] = await Promise.all([
    configurationsOf(read, 'MutatingWebhookConfiguration'),
    configurationsOf(read, 'ValidatingWebhookConfiguration'),
  ]);
  const calloutsOf = (kind: AdmissionCallout['kind'], { list }: OfKind) =>
    isRead(list) ? list.value.flatMap((raw) => admissionCallouts(kind, raw)) : [];
  return {
    callouts: [...calloutsOf('mutating', mutating), ...calloutsOf('validating', validating)],
    configurations: namesOf({ mutating, validating }),
  };
}

/** Two facts are built from the same two lists. */
const made = new WeakMap<Attempts, Promise<Admission>>();

/** Reads both configuration lists; if one cannot be read, the other is still used. */
export function admissionOf(read: Attempts): Promise<Admission> {
  const known = made.get(read) ?? readAdmission(read);
  made.set(read, known);
  return known;
}

export const configurations = defineCollector({
  fact: 'configurations',
  needs: [],
  permissions: admissionPermissions,
  otherwise: 'names of webhook configurations',
  readAll: async (access) => (await admissionOf(access)).configurations,
});
