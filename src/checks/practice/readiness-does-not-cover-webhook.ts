import type { Container, Probe } from '../../facts/objects/pod.ts';
import { refOfWorkload } from '../../facts/workloads.ts';
import { keptBackends, practiceFacts } from '../../pods/kept-well.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

/** The port that a probe asks, as a number; undefined for one that runs a command, or names no known port. */
function portOf({ httpGet, tcpSocket, grpc }: Probe, { ports = [] }: Container): number | undefined {
  const port = httpGet?.port ?? tcpSocket?.port ?? grpc?.port;
  return typeof port === 'number' ? port : ports.find(({ name }) => name === port)?.containerPort;
}

export const readinessDoesNotCoverWebhook = defineCheck({
  meta: {
    id: 'readiness-does-not-cover-webhook',
    link: 'practice',
    title: 'A replica counts as ready whether or not its webhook listens',
    severity: 'warning',
    explains: { 'readiness-probe': 2 },
    why: 'A ready Pod gets calls. Without a readinessProbe it is ready as soon as its container runs, before anything listens; with one that asks another port it is ready when that one answers. In every rollout calls meet the gap: refused with Fail, unchecked with Ignore.',
    advice:
      'Let the readinessProbe ask the port of the webhook (`tcpSocket`, or a path that it serves), or let what it asks depend on the webhook server: controller-runtime has `mgr.GetWebhookServer().StartedChecker()`.',
    messages: {
      none: 'Container {container} of {workload} has no readinessProbe: it gets calls before it listens on port {port}',
      elsewhere: {
        text: 'The readinessProbe of container {container} of {workload} asks port {asked}, calls go to port {port}: whether one tells of the other, only the program knows',
        severity: 'info',
      },
    },
  },
  requires: practiceFacts,
  subjects: keptBackends,
  run({ workload, container, containerPort }, _, find) {
    if (container === undefined || containerPort === undefined) return;
    const { readinessProbe, name } = container;
    const data = { container: name, workload: workloadText(workload), port: containerPort };
    const field = 'spec.template.spec.containers[].readinessProbe';
    const object = refOfWorkload(workload);
    if (readinessProbe === undefined) return find('none', data, [{ object, field, value: 'none' }]);
    const asked = portOf(readinessProbe, container);
    if (asked === undefined || asked === containerPort) return;
    return find('elsewhere', { ...data, asked }, [{ object, field, value: JSON.stringify(readinessProbe) }]);
  },
});
