import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { advise } from '../../facts/advice.ts';
import { lastEnd } from '../../facts/container-crash.ts';
import { backendPodFacts, badReplicas, inState, podEvidence } from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

export const replicaInitStuck = defineCheck({
  meta: {
    id: 'replica-init-stuck',
    link: 'replica',
    title: 'A replica does not get past its init containers',
    severity: 'error',
    consequence: 'failing',
    why: 'The containers of a Pod start when its init containers have ended well. One that fails, or waits for something that does not come, keeps the webhook from starting.',
    advice: advise`Read what it says: ${'kubectl -n {namespace} logs {pod} -c {container}'}.`,
    messages: {
      crashing:
        '{pods}: init container {container} fails (exit code {code}, restarts so far: {restarts}), and no other replica answers',
      waiting:
        '{pods}: init container {container} has been running since {since} and does not end; no other replica answers',
      some: latent('{pods}: init container {container} does not end well; other replicas answer'),
    },
    references: ['https://kubernetes.io/docs/tasks/debug/debug-application/debug-init-containers/'],
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
