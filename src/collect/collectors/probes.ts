import { parkedOf, workloadKey } from '../../apiserver/held-pods/holding-webhooks.ts';
import { routingFacts, routingModeFrom } from '../../apiserver/routing/routing-mode.ts';
import { calloutId } from '../../facts/callout.ts';
import type { Right } from '../../facts/right.ts';
import { type Access, defineCollector, type Wishes } from '../collector.ts';
import type { ProbePlan } from '../probes/run.ts';
import { waitingPods } from './pending-pods.ts';

/** From Kubernetes 1.35 on opening a port-forward over a WebSocket takes `create` as well. */
const forwardRights: readonly Right[] = [
  {
    group: '',
    resource: 'pods/portforward',
    verbs: ['get', 'create'],
    scope: 'backends',
    use: 'a TLS handshake with each replica',
  },
];

/** A GET takes `get`; nothing else is sent. */
const proxyRights: readonly Right[] = ['services/proxy', 'pods/proxy'].map((resource) => ({
  group: '',
  resource,
  verbs: ['get'],
  scope: 'backends',
  use: 'a GET to a backend the way that the API server has to it',
}));

const planOf = (access: Access, wished: NonNullable<Wishes['probe']>): ProbePlan => {
  const interrupted = access.interrupted();
  return { ...wished, onStage: access.stage, ...(interrupted === undefined ? {} : { interrupted }) };
};

const probeFacts = ['version', 'callouts', 'services', 'endpointSlices', 'namespaces', 'served'] as const;

/** What connections to backends showed, by callout id. */
export const probes = defineCollector({
  fact: 'probes',
  topics: ['failures', 'certificates'],
  needs: probeFacts,
  rights: ({ probe }) => {
    if (probe === undefined) return [];
    return probe.replicasOnly === true ? forwardRights : [...forwardRights, ...proxyRights];
  },
  otherwise: 'probes',
  load: ({ probe }) => (probe === undefined ? undefined : import('../probes/probe.ts')),
  wants: (_facts, { probe, asked }) => (probe === undefined ? [] : asked.map(calloutId)),
  async read(access, _keys, facts, { probe: wished = { level: 'connect' }, asked }) {
    const [{ probe }, prober] = await Promise.all([import('../probes/probe.ts'), access.prober()]);
    const probed = await probe(prober, facts, asked, planOf(access, wished));
    access.note(probed.notLookedAt);
    return probed.probes;
  },
});

export const clock = defineCollector({
  fact: 'clock',
  needs: ['probes'],
  rights: [],
  otherwise: undefined,
  async readAll(access, known) {
    await known(['probes']);
    return access.clock();
  },
});

/** Who parked Pods, where objects leave several webhooks in question and somebody may ask them. */
export const parkingTrials = defineCollector({
  fact: 'parkingTrials',
  topics: ['failures'],
  needs: [...probeFacts, 'pendingPods', 'podControllers'],
  rights: [],
  otherwise: 'who parked Pods',
  wants: (facts, { probe }) =>
    probe?.level === 'review'
      ? waitingPods(facts)
          .flatMap((pod) => parkedOf(pod, facts) ?? [])
          .map(workloadKey)
      : [],
  async read(access, _keys, facts, { probe: wished = { level: 'review' } }) {
    const [{ tryParking }, prober] = await Promise.all([import('../probes/try-parking.ts'), access.prober()]);
    const parked = waitingPods(facts).flatMap((pod) => parkedOf(pod, facts) ?? []);
    return tryParking(prober, facts, parked, planOf(access, wished));
  },
});

/** How the API server routes to Services, as far as anything that was read tells. */
export const routing = defineCollector({
  fact: 'routing',
  needs: routingFacts,
  rights: [],
  otherwise: { mode: undefined },
  readAll: async (_access, known) => routingModeFrom(await known(routingFacts)),
});
