import type { Container, Probe } from '../facts/objects/pod.ts';
import { workloadName } from './backend.ts';
import { containerEdit, containerPatch, declarationPlan } from './edits.ts';
import { defineRemedy, workloadKinds } from './remedy.ts';
import { servingBehind } from './serving-container.ts';

const handlers = ['httpGet', 'tcpSocket', 'grpc'] as const;

/** The handler of a probe that asks a port, and that port as a number. */
function askedBy(probe: Probe, { ports = [] }: Container) {
  const handler = handlers.find((one) => probe[one] !== undefined);
  const port = handler && probe[handler]?.port;
  if (handler === undefined || port === undefined) return undefined;
  const number = typeof port === 'number' ? port : ports.find(({ name }) => name === port)?.containerPort;
  return { handler, port, number };
}

/** The same probe, of the webhook's port. `patch` is for a strategic merge, which would keep the other handler. */
function moved(probe: Probe, { handler }: { readonly handler: (typeof handlers)[number] }, port: number) {
  const { [handler]: _asked, ...timing } = probe;
  const after = { ...timing, tcpSocket: { port } };
  return { after, patch: handler === 'tcpSocket' ? after : { [handler]: null, tcpSocket: { port } } };
}

export const addReadinessProbe = defineRemedy({
  meta: {
    id: 'add-readiness-probe',
    title: 'Call a replica ready only when it listens',
    risk: 'careful',
    does: 'Gives the container a readinessProbe that opens the port of the webhook: a replica gets calls only once something listens there. One that asks another port is moved to this one, for a container can have only one. The change of the template replaces all Pods. Where the workload is declared elsewhere, the patch is printed for that place.',
    leaves:
      'A server that listens and answers wrongly; what a probe of another port told; and where only the leader listens, only the leader is ready from then on.',
    answers: ['readiness-does-not-cover-webhook'],
    touches: [{ operation: 'patch', kinds: workloadKinds }],
  },
  requires: ['services', 'workloads'],
  plan({ callout }, facts) {
    const behind = callout && servingBehind(callout, facts);
    if (callout === undefined || behind === undefined) return undefined;
    const { workload, serving } = behind;
    const { container, index } = serving;
    const present = container.readinessProbe;
    const asked = present && askedBy(present, container);
    if (present !== undefined && asked === undefined) {
      return {
        refused: `Container ${container.name} of ${workloadName(workload)} has a readinessProbe that asks no port, and a container can have only one: make what it does cover the webhook.`,
      };
    }
    if (asked?.number === serving.port) return undefined;
    const fresh = { tcpSocket: { port: serving.port }, periodSeconds: 5 };
    const { after, patch } =
      present === undefined || asked === undefined
        ? { after: fresh, patch: fresh }
        : moved(present, asked, serving.port);
    const plan = {
      summary: `Pods of ${workloadName(workload)} are ready when port ${serving.port} is open`,
      warnings: [
        'All its Pods are replaced, one after the other.',
        ...(asked === undefined
          ? []
          : [
              `Port ${asked.port} is no longer asked: what it told is lost, unless the program can tell there that its webhook listens. Then leave the probe where it is.`,
            ]),
      ],
    };
    return declarationPlan(
      plan,
      workload,
      containerPatch(workload, container.name, { readinessProbe: patch }),
      containerEdit(workload, index, 'readinessProbe', after, present),
    );
  },
});
