import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { lastEnd } from '../../facts/container-crash.ts';
import { backendPodFacts, badReplicas, inState, podEvidence } from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

export const replicaInitStuck = defineCheck({
  meta: {
    id: 'replica-init-stuck',
    title: 'Pod is stuck in an init container',
    severity: 'error',
    consequence: 'failing',
    why: 'The kubelet starts the containers of a Pod only after its init containers have completed. An init container that fails or never exits keeps the webhook from starting.',
    advice:
      'Read its log: `kubectl -n {namespace} logs {pod} -c {container}`. Fix what it fails at or waits for.',
    messages: {
      crashing: 'Init container {container} fails in {pods} (exit code {code}, restart count {restarts})',
      waiting: 'Init container {container} has been running in {pods} since {since} and has not completed',
      some: latent('Init container {container} does not complete in {pods}; other Pods serve requests'),
    },
    references: ['/docs/tasks/debug/debug-application/debug-init-containers/'],
  },
  requires: backendPodFacts,
  subjects: examinedBackends,
  run(backend, facts, find) {
    const bad = badReplicas(backend, facts, inState('init-stuck'));
    const status = bad?.first.state.container;
    if (bad === undefined || status === undefined) return undefined;
    const evidence = podEvidence(bad.each);
    const about = { pods: bad.pods, container: status.name };
    if (bad.extent !== 'all') return find('some', about, evidence, bad.names);
    const since = status.state?.running?.startedAt;
    const end = lastEnd(status);
    return since !== undefined && end === undefined
      ? find('waiting', { ...about, since }, evidence, bad.names)
      : find(
          'crashing',
          { ...about, code: end?.exitCode ?? '?', restarts: status.restartCount },
          evidence,
          bad.names,
        );
  },
});
