import { calloutUrl } from '../apiserver/routing/callout-url.ts';
import { type Callout, calloutId, calloutKinds } from '../facts/callout.ts';
import { kindNamed } from '../facts/resource.ts';
import { isReadOf, type Unread } from '../facts/unread.ts';
import { similarName } from '../phrases/similar-name.ts';

/** A name on the command line that fits no callout, or several that are not the same thing. */
export class CalloutNameError extends Error {
  /** What could have been meant: ids that can be typed. */
  readonly candidates: readonly string[];
  /** Nothing has that name, as far as everything could be read. */
  readonly absent: boolean;
  /** The name that was probably meant. */
  readonly similar: string | undefined;
  constructor(message: string, candidates: readonly string[], absent = false, similar?: string) {
    super(message);
    this.name = 'CalloutNameError';
    this.candidates = candidates;
    this.absent = absent;
    this.similar = similar;
  }
}

const prefixOf = ({ kind }: Callout): string => calloutKinds[kind].prefix;

/** Our words for kinds. */
const prefixes = {
  ValidatingWebhookConfiguration: calloutKinds.validating.prefix,
  MutatingWebhookConfiguration: calloutKinds.mutating.prefix,
  CustomResourceDefinition: calloutKinds.conversion.prefix,
  APIService: calloutKinds['aggregated-api'].prefix,
  Service: 'service',
} as const;
const prefixedKinds = Object.keys(prefixes) as (keyof typeof prefixes)[];

/** A typed name with our word for a kind, and a URL of an error text without its `?timeout=`. */
export function plainName(typed: string): string {
  if (/^https?:/.test(typed)) return typed.replace(/\?.*/s, '');
  const [kind = '', ...rest] = typed.split('/');
  const named = rest.length > 0 ? kindNamed(kind, prefixedKinds) : undefined;
  return [named === undefined ? kind : prefixes[named], ...rest].join('/');
}

/** The object: `CONFIGURATION`, `validating/CONFIGURATION`. */
const configurationOf = (callout: Callout): string => `${prefixOf(callout)}/${callout.configuration}`;

/** Sorts of names, those that decide first in front. */
const namesOf: readonly ((callout: Callout, namespace?: string) => readonly string[])[] = [
  (callout) => [callout.configuration, configurationOf(callout)],
  (callout) => [`${callout.configuration}/${callout.webhook}`, calloutId(callout)],
  // As errors have it: `failed calling webhook "NAME"`, `conversion webhook for GROUP/VERSION, Kind=KIND failed`.
  (callout) => [
    callout.webhook,
    ...(callout.kind === 'aggregated-api' ? [`${callout.group}/${callout.version}`] : []),
    ...(callout.kind === 'conversion'
      ? callout.versions.map(({ name }) => `${callout.resource.group}/${name}, Kind=${callout.resource.kind}`)
      : []),
  ],
  (callout, onlyIn) => {
    const url = calloutUrl(callout) ?? [];
    const { namespace, name } = callout.client.service ?? {};
    if (name === undefined || (onlyIn !== undefined && onlyIn !== namespace)) return [url].flat();
    const host = `${name}.${namespace}.svc`;
    return [
      `${namespace}/${name}`,
      `service/${name}`,
      `service/${namespace}/${name}`,
      name,
      host,
      url,
    ].flat();
  },
];

/** Where names of Services stand among them: last. */
const ofServices = namesOf.length - 1;

/** What a typed name may be a slip of. */
const shownNames = (callout: Callout): readonly string[] =>
  namesOf.flatMap((names, sort) =>
    names(callout).filter((name) => sort < ofServices || /^[^:]+\/[^/]+$/.test(name)),
  );

/** Of configurations that hold no webhook, those that are named: nothing is called for them. */
export function namedWithoutWebhooks(
  withoutWebhooks: readonly string[],
  names: readonly string[],
): readonly string[] {
  const plain = names.map(plainName);
  return withoutWebhooks.filter((id) => plain.includes(id) || plain.includes(id.slice(id.indexOf('/') + 1)));
}

/** The lists that hold callouts (plural): those of names with a known prefix, or all. */
function listsOf(prefix: string | undefined): readonly string[] {
  const kinds = Object.values(calloutKinds);
  const named = kinds.filter((kind) => kind.prefix === prefix);
  return (named.length > 0 ? named : kinds).map(({ plural }) => plural);
}

/** Whether callouts may be missing because of it. */
export const hidesCallouts = (unread: Unread): boolean => isReadOf(unread, listsOf(undefined));

/** How names are understood. */
export interface Naming {
  /** `validating/NAME`, `mutating/NAME`: configurations that may be named although they hold no webhook. */
  readonly withoutWebhooks?: readonly string[];
  /** What could not be read: a name that could stand in such a list is none that the cluster does not have. */
  readonly unread?: readonly Unread[];
  /** Where `service/NAME` is; in whichever namespace unless told. */
  readonly namespace?: string | undefined;
  /** The beginning of a name is none: what is named is not shown before it counts, or may not exist yet. */
  readonly whole?: boolean;
}

/** What one name means. */
export interface Named {
  readonly callouts: readonly Callout[];
  /** The whole name that was meant, where it is not the name of a configuration, or of one webhook in it. */
  readonly meaning?: string;
}

/** What begins so and is of as many parts: not every name of a kind is one of its letter. */
const goesOn = (name: string, beginning: string): boolean =>
  name.startsWith(beginning) && name.split('/').length === beginning.split('/').length;

/** The objects that hold these callouts, as they are typed. */
export const configurationIds = (callouts: readonly Callout[]): readonly string[] => [
  ...new Set(callouts.map(configurationOf)),
];

/**
 * What the beginning of a name means: that name which covers every callout that any name with this beginning has; names
 * of Services count where there is no other. Throws CalloutNameError where there are several such.
 */
function begun(callouts: readonly Callout[], beginning: string, naming: Naming): Named | undefined {
  const found = [new Map<string, Set<Callout>>(), new Map<string, Set<Callout>>()] as const;
  for (const callout of callouts) {
    for (const [sort, names] of namesOf.entries()) {
      const among = found[sort < ofServices ? 0 : 1];
      for (const name of names(callout, naming.namespace).filter((one) => goesOn(one, beginning))) {
        // Two kinds may share a name.
        const whole = [configurationOf(callout), calloutId(callout)][sort] ?? name;
        among.set(whole, (among.get(whole) ?? new Set()).add(callout));
      }
    }
  }
  const among = found.find(({ size }) => size > 0);
  if (among === undefined) return undefined;
  const every = new Set([...among.values()].flatMap((some) => [...some]));
  const [meaning] = [...among].find(([, some]) => some.size === every.size) ?? [];
  if (meaning !== undefined)
    return { ...namedCallouts(callouts, meaning, { ...naming, whole: true }), meaning };
  const candidates = configurationIds([...every]);
  throw new CalloutNameError(
    `"${beginning}" is a prefix of several names`,
    candidates.length > 1 ? candidates : [...every].map(calloutId),
  );
}

/** The callouts that one name means. A configuration means all its webhooks; a name that two kinds share means both. */
export function namedCallouts(callouts: readonly Callout[], typed: string, naming: Naming = {}): Named {
  const { withoutWebhooks = [], unread = [], namespace, whole = false } = naming;
  const name = plainName(typed);
  for (const [sort, names] of namesOf.entries()) {
    const found = callouts.filter((callout) => names(callout, namespace).includes(name));
    if (sort === 0 && namedWithoutWebhooks(withoutWebhooks, [name]).length > 0) return { callouts: found };
    if (found.length > 0) return { callouts: found, ...(sort < 2 ? {} : { meaning: typed }) };
  }
  const lists = listsOf(name.includes('/') ? name.split('/')[0] : undefined);
  if (unread.some((one) => isReadOf(one, lists))) return { callouts: [] };
  const beginning = whole || name === '' ? undefined : begun(callouts, name, naming);
  if (beginning !== undefined) return beginning;
  const known = [...new Set([...callouts.flatMap(shownNames), ...withoutWebhooks])];
  const near = name === '' ? undefined : similarName(name, known);
  throw new CalloutNameError(
    `this cluster has no webhook or APIService "${typed}"`,
    configurationIds(callouts),
    true,
    configurationIds(callouts).find((id) => id.endsWith(`/${near}`)) ?? near,
  );
}

/** All callouts when nothing is named, else the named ones, each once, in the cluster's order. Throws {@link CalloutNameError}. */
export function chooseCallouts(
  callouts: readonly Callout[],
  names: readonly string[],
  naming: Naming = {},
): readonly Callout[] {
  if (names.length === 0) return callouts;
  const wanted = new Set(names.flatMap((name) => namedCallouts(callouts, name, naming).callouts));
  return callouts.filter((callout) => wanted.has(callout));
}
