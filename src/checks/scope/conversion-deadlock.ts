import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { logEvidence, logOf } from '../../facts/workloads/pod-logs.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { brief } from '../../phrases/brief.ts';
import { backendPodFacts, badReplicas, inState } from '../../pods/bad-replicas.ts';
import { waitingFor } from '../../pods/own-conversion.ts';
import { defineCheck } from '../check.ts';

export const conversionDeadlock = defineCheck({
  meta: {
    id: 'conversion-deadlock',
    title: 'Operator reads its own resource before it converts it',
    severity: 'error',
    implies: 'no-way-back',
    why: 'The program lists its own custom resource when it starts. Where objects are stored in another version, the API server calls the conversion webhook for that list. This program serves it only once it has started.',
    advice: `[end] Run the previous image, or let the program serve conversions, and be Ready, before it fills its caches. [end] If both versions have the same fields, let the program start without conversion: \`kubectl patch {kind} {configuration} --type=merge -p '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'\`. [with] When the Pod is Ready, set the conversion webhook again. [see] The log of the Pod: \`kubectl -n {namespace} logs {pod} --all-containers --ignore-errors\`.`,
    noRemedy: 'in-the-server',
    messages: {
      waits: 'Pod {pod} exits because the API server cannot convert {crd} without it: {detail}',
      notReady: 'Pod {pod} is not ready because the API server cannot convert {crd} without it: {detail}',
    },
    follows: ['network-policy-shields-webhook'],
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
    const found = waitingFor(logOf(pod, container, facts).split('\n'), callout.resource);
    if (found === undefined) return undefined;
    const { namespace = '', name } = pod.metadata;
    const detail = brief(found.said);
    const evidence = [logEvidence(refOfPod(pod), container, found.line)];
    const names = { pod: name };
    return find(
      state.state === 'crash-looping' ? 'waits' : 'notReady',
      { pod: `${namespace}/${name}`, crd: callout.configuration, detail },
      evidence,
      names,
      found.isStated ? 'observed' : 'derived',
    );
  },
});
