import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { keyOf } from '../../facts/objects.ts';
import { refOfPod } from '../../facts/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { backendPodFacts, badReplicas, inState } from '../../pods/bad-replicas.ts';
import { defineCheck } from '../check.ts';

export const conversionDeadlock = defineCheck({
  meta: {
    id: 'conversion-deadlock',
    link: 'scope',
    title: 'Operator reads its own resource before it converts it',
    severity: 'error',
    implies: 'no-way-back',
    explains: { 'cache-not-synced': 3, 'conversion-unserved': 1 },
    why: 'The program lists its own custom resource when it starts. Where objects are stored in another version, the API server calls the conversion webhook for that list, which this program serves only once it has started.',
    advice: `Read the log: \`kubectl -n {namespace} logs {pod} --all-containers --ignore-errors\`. Run the previous image, or let the program serve conversions, and be Ready, before it fills its caches. If both versions have the same fields, let it start without conversion: \`kubectl patch {kind} {configuration} --type=merge -p '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'\`. Set the webhook again afterwards.`,
    noRemedy: 'in-the-server',
    messages: {
      waits: 'Pod {pod} exits because the API server cannot convert {crd} without it: {detail}',
      notReady: 'Pod {pod} is not ready because the API server cannot convert {crd} without it: {detail}',
    },
    references: [
      '/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion',
    ],
  },
  requires: [...backendPodFacts, 'logs'],
  subjects: (facts) => examinedBackends(facts).filter(({ callout }) => callout.kind === 'conversion'),
  run(backend, facts, find) {
    const { callout } = backend;
    const bad = badReplicas(backend, facts, inState('crash-looping', 'not-ready'));
    if (bad?.extent !== 'all' || callout.kind !== 'conversion') return undefined;
    const { pod, state } = bad.first;
    const container = state.container?.name ?? '';
    const log = facts.logs.getIfKnown(`${keyOf(pod.metadata)}/${container}`) ?? '';
    const { group, kind } = callout.resource;
    const value = log
      .split('\n')
      .find(
        (line) => line.includes(`conversion webhook for ${group}/`) && line.includes(`, Kind=${kind} failed`),
      );
    if (value === undefined) return undefined;
    const { namespace = '', name } = pod.metadata;
    const detail = brief(value.slice(value.indexOf('conversion webhook for ')));
    const evidence = [{ object: refOfPod(pod), field: `log of ${container}`, value }];
    const names = { pod: name };
    return find(
      state.state === 'crash-looping' ? 'waits' : 'notReady',
      { pod: `${namespace}/${name}`, crd: callout.configuration, detail },
      evidence,
      names,
      'observed',
    );
  },
});
