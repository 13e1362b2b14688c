import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { exitReason, lastLines } from '../../apiserver/sentences/log-lines.ts';
import { lastEnd } from '../../facts/container-crash.ts';
import { logOf } from '../../facts/pod-logs.ts';
import { brief } from '../../phrases/brief.ts';
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
      logged: {
        text: 'Init container {container} fails in {pods}: {detail} (exit code {code}, restart count {restarts})',
        advice: 'Correct what the log reports: `kubectl -n {namespace} logs {pod} -c {container}`.',
      },
      waiting: 'Init container {container} has been running in {pods} since {since} and has not completed',
      waitsFor: {
        text: 'Init container {container} has been running in {pods} since {since}; its log ends with: {detail}',
        advice:
          'Fix what it waits for, or remove the init container: `kubectl -n {namespace} edit {workload}`. Its log: `kubectl -n {namespace} logs {pod} -c {container}`.',
      },
      some: latent('Init container {container} does not complete in {pods}; other Pods serve requests'),
    },
    follows: ['service-account-lacks-rights'],
    references: ['/docs/tasks/debug/debug-application/debug-init-containers/'],
  },
  requires: [...backendPodFacts, 'logs'],
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
    const log = logOf(bad.first.pod, status.name, facts);
    if (since !== undefined && end === undefined) {
      const [last] = lastLines(log, 1);
      return last === undefined
        ? find('waiting', { ...about, since }, evidence, bad.names)
        : find('waitsFor', { ...about, since, detail: brief(last) }, evidence, bad.names);
    }
    const failed = { ...about, code: end?.exitCode ?? '?', restarts: status.restartCount };
    const line = exitReason(log);
    return line === undefined
      ? find('crashing', failed, evidence, bad.names)
      : find('logged', { ...failed, detail: brief(line) }, evidence, bad.names);
  },
});
