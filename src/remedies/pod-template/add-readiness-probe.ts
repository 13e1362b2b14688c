import type { Container, Probe } from '../../facts/objects/pod.ts';
import { declarationPlan, servingBehind, workloadName } from '../backend.ts';
import { defineRemedy, workloadKinds } from '../remedy.ts';
import { templateChange } from './template-change.ts';

const handlers = ['httpGet', 'tcpSocket', 'grpc'] as const;

/** The handler of an existing probe that connects to a port, and the port number. */
function probeRequest(probe: Probe, { ports = [] }: Container) {
  const handler = handlers.find((one) => probe[one] !== undefined);
  const port = handler && probe[handler]?.port;
  if (handler === undefined || port === undefined) return undefined;
  const number = typeof port === 'number' ? port : ports.find(({ name }) => name === port)?.containerPort;
  return { handler, port, number };
}

/**
 * The same probe with the webhook's port. `patch` is for a strategic merge, which would otherwise keep the
 * other handler.
 */
function moved(probe: Probe, { handler }: { readonly handler: (typeof handlers)[number] }, port: number) {
  const { [handler]: _asked, ...timing } = probe;
  const after = { ...timing, tcpSocket: { port } };
  return { after, patch: handler === 'tcpSocket' ? after : { [handler]: null, tcpSocket: { port } } };
}

export const addReadinessProbe = defineRemedy({
  meta: {
    id: 'add-readiness-probe',
    title: 'Add a readiness probe on the webhook port',
    risk: 'careful',
    does: 'Adds a readinessProbe that connects to the webhook port: a Pod receives requests only once something listens there. A container can have only one readinessProbe, so one on another port is moved to this port. The Pod template changes, so all Pods are replaced. If the workload is declared elsewhere (Helm, GitOps, an operator), the patch is printed instead.',
    leaves:
      'A server that listens and responds wrongly, and the condition that a probe on another port checked. If only the leader listens, only the leader becomes ready.',
    answers: ['readiness-does-not-cover-webhook'],
    touches: [{ operation: 'patch', kinds: workloadKinds }],
  },
  about: 'service-backed',
  requires: ['services', 'workloads'],
  plan({ callout }, facts) {
    const behind = servingBehind(callout, facts);
    if (behind === undefined) return undefined;
    const { workload, serving } = behind;
    const { container, index } = serving;
    const present = container.readinessProbe;
    const request = present && probeRequest(present, container);
    if (present !== undefined && request === undefined)
      return `Container ${container.name} of ${workloadName(workload)} has a readinessProbe without a port, and a container can have only one: extend that probe to cover the webhook.`;
    if (request?.number === serving.port) return undefined;
    const fresh = { tcpSocket: { port: serving.port }, periodSeconds: 5 };
    const { after, patch } =
      present === undefined || request === undefined
        ? { after: fresh, patch: fresh }
        : moved(present, request, serving.port);
    const plan = {
      summary: `Pods of ${workloadName(workload)} are ready when port ${serving.port} is open`,
      warnings: [
        'All its Pods are replaced, one after another.',
        request &&
          `Port ${request.port} is no longer probed. If the program can report there that its webhook listens, keep the probe and change the program instead.`,
      ],
    };
    const at = ['containers', index, 'readinessProbe'];
    return declarationPlan(plan, workload, templateChange(workload, [{ at, after, merged: patch }]));
  },
});
