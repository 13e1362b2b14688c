import { calloutUrl } from '../../apiserver/routing/callout-url.ts';
import {
  type Callout,
  type CalloutKind,
  calloutId,
  calloutKinds,
  configuringResource,
} from '../../facts/callout.ts';
import { kindNamed, type ResourceKind } from '../../facts/resource.ts';
import { stuckObjectKinds } from '../../facts/stuck-object.ts';
import { isReadOf, type Unread } from '../../facts/unread.ts';
import { similarName } from '../../phrases/similar-name.ts';

/** The error for a typed name that matches no webhook or APIService, or several different ones. */
export class CalloutNameError extends Error {
  /** Suggestions: ids that can be typed. */
  readonly candidates: readonly string[];
  /** All lists were read, and nothing has that name. */
  readonly absent: boolean;
  readonly similar: string | undefined;
  /** The typed name, if it is that of an object that a webhook may block: `deployment/cart`. */
  readonly object: string | undefined;
  constructor(
    message: string,
    candidates: readonly string[],
    absent?: { readonly similar?: string | undefined; readonly object?: string | undefined },
  ) {
    super(message);
    this.name = 'CalloutNameError';
    this.candidates = candidates;
    this.absent = absent !== undefined;
    this.similar = absent?.similar;
    this.object = absent?.object;
  }
}

const prefixOf = ({ kind }: Callout): string => calloutKinds[kind].prefix;

/** The first part of names, by the kind of the object. */
const prefixes = new Map<ResourceKind, string>([
  ...Object.values(calloutKinds).map(({ object, prefix }) => [object, prefix] as const),
  ['Service', 'service'],
]);

/** Normalizes a typed name: the kind as in ids, a URL from an error without its `?timeout=`. */
export function plainName(typed: string): string {
  if (/^https?:/.test(typed)) return typed.replace(/\?.*/s, '');
  const [kind = '', ...rest] = typed.split('/');
  const named = rest.length > 0 ? kindNamed(kind, [...prefixes.keys()]) : undefined;
  return [(named && prefixes.get(named)) ?? kind, ...rest].join('/');
}

/** The object: `CONFIGURATION`, `validating/CONFIGURATION`. */
const configurationOf = (callout: Callout): string => `${prefixOf(callout)}/${callout.configuration}`;

/** The forms of names, in order of precedence. */
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

/** The index of Service names among them: last. */
const ofServices = namesOf.length - 1;

/** The names to compare with a misspelt one. */
const shownNames = (callout: Callout): readonly string[] =>
  namesOf.flatMap((names, sort) =>
    names(callout).filter((name) => sort < ofServices || /^[^:]+\/[^/]+$/.test(name)),
  );

/** The named configurations that contain no webhook. */
export function namedWithoutWebhooks(
  withoutWebhooks: readonly string[],
  names: readonly string[],
): readonly string[] {
  const plain = names.map(plainName);
  return withoutWebhooks.filter((id) => plain.includes(id) || plain.includes(id.slice(id.indexOf('/') + 1)));
}

/** Why nothing has this name. Most APIServices have no Service, and most CustomResourceDefinitions no webhook. */
function absence(typed: string, name: string): string {
  if (name.startsWith(`${calloutKinds['aggregated-api'].prefix}/`))
    return `"${typed}" does not exist, or has no Service (the API server serves it itself)`;
  if (name.startsWith(`${calloutKinds.conversion.prefix}/`))
    return `"${typed}" does not exist, or has no conversion webhook`;
  return `this cluster has no webhook or APIService "${typed}"`;
}

/** Whether a name without webhook is that of a workload, a Pod or a Namespace. */
function isObject(name: string): boolean {
  const [kind = '', object = '', ...more] = name.split('/');
  if (object === '' || more.length > 0 || [...prefixes.values()].includes(kind)) return false;
  return kindNamed(kind, stuckObjectKinds) !== undefined;
}

/** The resources (plural) that names can refer to: that of a known prefix, or all. */
function listsOf(prefix: string | undefined): readonly string[] {
  const kinds = Object.keys(calloutKinds) as CalloutKind[];
  const named = kinds.filter((kind) => calloutKinds[kind].prefix === prefix);
  return (named.length > 0 ? named : kinds).map(configuringResource);
}

/** True if the failed read is a list of objects with webhooks, or of APIServices. */
export const hidesCallouts = (unread: Unread): boolean => isReadOf(unread, listsOf(undefined));

/** Options for the resolution of names. */
export interface NameOptions {
  /** `validating/NAME`, `mutating/NAME`: configurations without webhooks, which can be named as well. */
  readonly withoutWebhooks?: readonly string[];
  /** Failed reads: a name that may be in such a list is not reported as missing. */
  readonly unread?: readonly Unread[];
  /** The namespace of `service/NAME`; default: all namespaces. */
  readonly namespace?: string | undefined;
  /** Do not accept the beginning of a name: it is not shown before it counts, or the object may not exist yet. */
  readonly exactNames?: boolean;
}

/** The webhooks and APIServices with one name. */
export interface NamedCallouts {
  readonly callouts: readonly Callout[];
  /** The full name, if the typed one is not the name of a configuration or of one webhook in it. */
  readonly meaning?: string;
}

/** True if a name starts with this text and has the same number of parts. */
const continuesWith = (name: string, beginning: string): boolean =>
  name.startsWith(beginning) && name.split('/').length === beginning.split('/').length;

/** The objects that contain these webhooks, as they can be typed. */
export const configurationIds = (callouts: readonly Callout[]): readonly string[] => [
  ...new Set(callouts.map(configurationOf)),
];

/**
 * Resolves the beginning of a name to the one name that includes every webhook of the names with this
 * beginning. Names of Services count if there is no other. Throws CalloutNameError if it is ambiguous.
 */
function byPrefix(
  callouts: readonly Callout[],
  beginning: string,
  naming: NameOptions,
): NamedCallouts | undefined {
  const found = [new Map<string, Set<Callout>>(), new Map<string, Set<Callout>>()] as const;
  for (const callout of callouts) {
    for (const [sort, names] of namesOf.entries()) {
      const among = found[sort < ofServices ? 0 : 1];
      for (const name of names(callout, naming.namespace).filter((one) => continuesWith(one, beginning))) {
        // Two kinds may share a name.
        const fullName = [configurationOf(callout), calloutId(callout)][sort] ?? name;
        among.set(fullName, (among.get(fullName) ?? new Set()).add(callout));
      }
    }
  }
  const among = found.find(({ size }) => size > 0);
  if (among === undefined) return undefined;
  const every = new Set([...among.values()].flatMap((some) => [...some]));
  const [meaning] = [...among].find(([, some]) => some.size === every.size) ?? [];
  if (meaning !== undefined)
    return { ...namedCallouts(callouts, meaning, { ...naming, exactNames: true }), meaning };
  const candidates = configurationIds([...every]);
  throw new CalloutNameError(
    `"${beginning}" is a prefix of several names`,
    candidates.length > 1 ? candidates : [...every].map(calloutId),
  );
}

/**
 * The webhooks and APIServices with one name. A configuration includes all its webhooks; a name that two
 * kinds share includes both.
 */
export function namedCallouts(
  callouts: readonly Callout[],
  typed: string,
  naming: NameOptions = {},
): NamedCallouts {
  const { withoutWebhooks = [], unread = [], namespace, exactNames = false } = naming;
  const name = plainName(typed);
  for (const [sort, names] of namesOf.entries()) {
    const found = callouts.filter((callout) => names(callout, namespace).includes(name));
    if (sort === 0 && namedWithoutWebhooks(withoutWebhooks, [name]).length > 0) return { callouts: found };
    if (found.length > 0) return { callouts: found, ...(sort < 2 ? {} : { meaning: typed }) };
  }
  const lists = listsOf(name.includes('/') ? name.split('/')[0] : undefined);
  if (unread.some((one) => isReadOf(one, lists))) return { callouts: [] };
  const completed = exactNames || name === '' ? undefined : byPrefix(callouts, name, naming);
  if (completed !== undefined) return completed;
  const known = [...new Set([...callouts.flatMap(shownNames), ...withoutWebhooks])];
  const near = name === '' ? undefined : similarName(name, known);
  throw new CalloutNameError(absence(typed, name), configurationIds(callouts), {
    similar: configurationIds(callouts).find((id) => id.endsWith(`/${near}`)) ?? near,
    object: isObject(name) ? typed : undefined,
  });
}

/**
 * Selects the named webhooks and APIServices, each once, in the cluster's order; all if none is named. Throws
 * {@link CalloutNameError}.
 */
export function chooseCallouts(
  callouts: readonly Callout[],
  names: readonly string[],
  naming: NameOptions = {},
): readonly Callout[] {
  if (names.length === 0) return callouts;
  const wanted = new Set(names.flatMap((name) => namedCallouts(callouts, name, naming).callouts));
  return callouts.filter((callout) => wanted.has(callout));
}
