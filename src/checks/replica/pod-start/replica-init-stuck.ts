import { exitReason, lastLogLines } from '../../../apiserver/sentences/logs/log-lines.ts';
import { lastEnd } from '../../../facts/workloads/container-crash.ts';
import { logOf } from '../../../facts/workloads/pod-logs.ts';
import { brief } from '../../../phrases/brief.ts';
import { inState } from '../../../pods/bad-replicas.ts';
import { latent } from '../../check.ts';
import { writerFails } from '../../tls/writer/certificate-writer-check.ts';
import { badPodsCheck } from '../bad-pods-check.ts';

export const replicaInitStuck = badPodsCheck({
  id: 'replica-init-stuck',
  title: 'Pod is stuck in an init container',
  why: 'The kubelet starts the containers of a Pod only after its init containers have completed. An init container that fails or never exits keeps the webhook from starting.',
  advice:
    '[look] Read the log of the init container: `kubectl -n {namespace} logs {pod} -c {container}`. [end] Fix the failure, or create the object that the init container waits for.',
  messages: {
    crashing: 'Init container {container} fails in {pods} (exit code {code}, restart count {restarts})',
    logged: {
      text: 'Init container {container} fails in {pods}: {detail} (exit code {code}, restart count {restarts})',
      advice: 'Correct the error in the log: `kubectl -n {namespace} logs {pod} -c {container}`.',
    },
    waiting: 'Init container {container} has been running in {pods} since {since} and has not completed',
    waitsFor: {
      text: 'Init container {container} has been running in {pods} since {since}; its log ends with: {detail}',
      advice:
        '[end] Fix the server or object that the init container waits for, or remove the init container: `kubectl -n {namespace} edit {workload}`. [see] The log of the init container: `kubectl -n {namespace} logs {pod} -c {container}`.',
    },
    some: latent('Init container {container} does not complete in {pods}; other Pods serve requests'),
  },
  follows: writerFails,
  references: ['/docs/tasks/debug/debug-application/debug-init-containers/'],
  alsoRequires: ['logs'],
  isBad: inState('init-stuck'),
  run({ extent, first: { pod, state } }, facts, report) {
    const { container: status } = state;
    if (status === undefined) return undefined;
    const container = status.name;
    if (extent !== 'all') return report('some', { container });
    const since = status.state?.running?.startedAt;
    const end = lastEnd(status);
    const log = logOf(pod, container, facts);
    if (since !== undefined && end === undefined) {
      const [last] = lastLogLines(log, 1);
      return last === undefined
        ? report('waiting', { container, since })
        : report('waitsFor', { container, since, detail: brief(last) });
    }
    const failed = { container, code: end?.exitCode ?? '?', restarts: status.restartCount };
    const line = exitReason(log);
    return line === undefined
      ? report('crashing', failed)
      : report('logged', { ...failed, detail: brief(line) });
  },
});
