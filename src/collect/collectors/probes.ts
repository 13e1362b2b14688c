import { convertedVersions } from '../../apiserver/conversion/conversion-body.ts';
import { routingFacts, routingModeFrom } from '../../apiserver/routing/routing-mode.ts';
import {
  type AdmissionCallout,
  type Callout,
  type ConversionCallout,
  calloutId,
  isAdmission,
} from '../../facts/callout.ts';
import type { Permission } from '../../facts/resource.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { type Access, defineCollector, eachKey, type ReadOptions } from '../collector.ts';
import { asPlanned } from '../probes/as-planned.ts';
import {
  allowsAll,
  connectsToNone,
  deniesAll,
  hasReviews,
  looksHealthyToProbes,
} from '../probes/looks-healthy.ts';
import type { ProbePlan } from '../probes/run.ts';

/** Since Kubernetes 1.35, a port-forward over a WebSocket requires `create` as well. */
const forwardPermissions: readonly Permission[] = [
  {
    group: '',
    resource: 'pods/portforward',
    verbs: ['get', 'create'],
    scope: 'backends',
    use: 'a TLS handshake with each Pod',
  },
];

/** A GET requires `get`; no other method is used. */
const proxyPermissions: readonly Permission[] = [
  {
    group: '',
    resource: 'pods/proxy',
    verbs: ['get'],
    scope: 'backends',
    use: 'a GET to a backend on the path that the API server uses',
  },
];

const planOf = (access: Access, wished: NonNullable<ReadOptions['probe']>): ProbePlan => ({
  ...wished,
  onStage: access.stage,
});

const probeFacts = ['version', 'callouts', 'services', 'endpointSlices', 'namespaces', 'served'] as const;

/** Collects the results of probes, by id of the webhook or APIService. */
export const probes = defineCollector({
  fact: 'probes',
  topics: ['failures', 'certificates'],
  needs: probeFacts,
  permissions: ({ probe }) => {
    if (probe === undefined) return [];
    return probe.replicasOnly === true ? forwardPermissions : [...forwardPermissions, ...proxyPermissions];
  },
  otherwise: 'probes',
  load: ({ probe }) => (probe === undefined ? undefined : import('../probes/probe.ts')),
  wants: (_facts, { probe, chosen }) => (probe === undefined ? [] : chosen.map(calloutId)),
  narrowed(value, key, { probe, chosen }) {
    const callout = chosen.find((one) => calloutId(one) === key);
    return probe === undefined || callout === undefined ? value : asPlanned(value, callout, probe);
  },
  async read(access, _keys, facts, { probe: wished = { level: 'connect' }, chosen }) {
    const { probe } = await import('../probes/probe.ts');
    const prober = await access.prober();
    const probed = await probe(prober, facts, chosen, planOf(access, wished));
    access.note(probed.notLookedAt);
    return probed.probes;
  },
});

export const clock = defineCollector({
  fact: 'clock',
  needs: ['probes'],
  permissions: [],
  otherwise: undefined,
  async readAll(access, known) {
    await known(['probes']);
    return access.clock();
  },
});

/**
 * Webhooks that are called with real objects: all for given objects; for stored ones those that are named and
 * accept connections, and those whose Pods all deny the test object.
 */
const sampled = (
  { probes: seen }: Pick<Facts, 'probes'>,
  { chosen, probe, samples: wished }: ReadOptions,
): readonly AdmissionCallout[] =>
  probe?.level !== 'review' || wished === undefined
    ? []
    : chosen.filter(isAdmission).filter((callout) => {
        if (wished.given.length > 0) return true;
        const probed = seen.getIfKnown(calloutId(callout));
        if (wished.stored === 'always') return probed === undefined || !connectsToNone(probed);
        return wished.stored === 'of-suspects' && probed !== undefined && deniesAll(probed);
      });

/** The maximum number of webhooks of a run that are called with further test objects; the same of CRDs. */
const mostFurther = 8;

/** A CRD with more versions than the probes convert. */
const hasMoreVersions = (callout: Callout): callout is ConversionCallout =>
  callout.kind === 'conversion' && convertedVersions(callout).length > 1;

/**
 * Webhooks that respond to the test object: they are called with test objects of other kinds, for other operations, or
 * for each version.
 */
const calledFurther = (
  { probes: seen }: Pick<Facts, 'probes'>,
  { chosen, probe, samples: wished }: ReadOptions,
): readonly (AdmissionCallout | ConversionCallout)[] => {
  if (probe?.level !== 'review' || wished === undefined || wished.stored === 'never') return [];
  const responds = (callout: Callout): boolean => {
    const probed = seen.getIfKnown(calloutId(callout));
    return probed !== undefined && hasReviews(probed) && looksHealthyToProbes(probed);
  };
  const admissions = chosen.filter(isAdmission).filter(responds);
  const conversions = chosen.filter(hasMoreVersions).filter(responds);
  return [
    ...(admissions.length > mostFurther ? [] : admissions),
    ...(conversions.length > mostFurther ? [] : conversions),
  ];
};

/** Collects responses of Pods to real objects: given ones, and some stored ones that the webhook matches. */
export const samples = defineCollector({
  fact: 'samples',
  needs: [...probeFacts, 'probes'],
  permissions: [],
  otherwise: 'stored objects for webhooks that are not named and do not deny the test object',
  atMost: 20,
  wants: (facts, readOptions) =>
    [...sampled(facts, readOptions), ...calledFurther(facts, readOptions)].map(calloutId),
  async read(access, keys, facts, readOptions) {
    const { probe: wished = { level: 'review' }, samples: wish } = readOptions;
    const { given = [], namespace = '', stored = 'never' } = wish ?? {};
    const { sendSamples } = await import('../probes/samples/send-samples.ts');
    const prober = await access.prober();
    const [real, further] = [sampled(facts, readOptions), calledFurther(facts, readOptions)];
    const plan = planOf(access, wished);
    return eachKey(keys, async (key) => {
      const isKey = (one: Callout) => calloutId(one) === key;
      const callout = [...real, ...further].find(isKey);
      const probed = facts.probes.getIfKnown(key);
      const about = {
        given,
        namespace,
        stored: stored !== 'never' && real.some(isKey),
        withStored: stored !== 'never',
        heartbeats: stored !== 'never' && probed !== undefined && deniesAll(probed),
        further: further.some(isKey),
        large: probed !== undefined && allowsAll(probed),
      };
      return { value: callout && (await sendSamples({ prober, facts, plan }, callout, about)) };
    });
  },
});

/** Collects the routing mode of the API server, as far as other facts show it. */
export const routing = defineCollector({
  fact: 'routing',
  needs: routingFacts,
  permissions: [],
  otherwise: { mode: undefined },
  readAll: async (_access, known) => routingModeFrom(await known(routingFacts)),
});
