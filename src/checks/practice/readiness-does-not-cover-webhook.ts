import { probePort } from '../../facts/workloads/pod-ports.ts';
import { refOfWorkload } from '../../facts/workloads/workloads.ts';
import { backendsWithWorkload, practiceFacts } from '../../pods/backend-practices.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck, note } from '../check.ts';

export const readinessDoesNotCoverWebhook = defineCheck({
  meta: {
    id: 'readiness-does-not-cover-webhook',
    title: 'Readiness does not depend on the webhook port',
    severity: 'warning',
    why: 'A Ready Pod receives requests. Without a readinessProbe it is Ready as soon as its container runs, with a probe of another port as soon as that port responds. In every rollout, calls before the webhook port is open fail: requests are refused (failurePolicy Fail) or admitted unchecked (Ignore).',
    advice:
      '[end] Point the readinessProbe at the webhook port (`tcpSocket`, or a path that it serves): `kubectl -n {namespace} edit {workload}`. [end] Or make the probed endpoint depend on the webhook server: controller-runtime has `mgr.GetWebhookServer().StartedChecker()`.',
    messages: {
      none: 'Container {container} of {workload} has no readinessProbe: it receives requests before it listens on port {port}',
      elsewhere: note(
        'The readinessProbe of container {container} of {workload} checks port {probePort}, calls use port {port}; whether one depends on the other is unknown',
      ),
    },
    references: [
      '/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#define-readiness-probes',
    ],
  },
  requires: practiceFacts,
  subjects: backendsWithWorkload,
  run({ workload, container, containerPort }, _, find) {
    if (container === undefined || containerPort === undefined) return;
    const { readinessProbe, name } = container;
    const data = { container: name, workload: workloadText(workload), port: containerPort };
    const field = 'spec.template.spec.containers[].readinessProbe';
    const object = refOfWorkload(workload);
    if (readinessProbe === undefined) return find('none', data, [{ object, field, value: 'none' }]);
    const probed = probePort(readinessProbe, container);
    if (probed === undefined || probed === containerPort) return;
    return find('elsewhere', { ...data, probePort: probed }, [
      { object, field, value: JSON.stringify(readinessProbe) },
    ]);
  },
});
