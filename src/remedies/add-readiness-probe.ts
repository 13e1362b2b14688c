import { calloutId } from '../facts/callout.ts';
import { portBehind, serviceBehind, workloadBehind, workloadName } from './backend.ts';
import { containerEdit, containerPatch, declarationPlan } from './owners-patch.ts';
import { defineRemedy } from './remedy.ts';
import { servingContainer } from './serving-container.ts';

export const addReadinessProbe = defineRemedy({
  meta: {
    id: 'add-readiness-probe',
    title: 'Call a replica ready only when it listens',
    risk: 'careful',
    does: 'Gives the container a readinessProbe that opens the port of the webhook: a replica gets calls only once something listens there. The change of the template replaces all Pods. Where the workload is declared elsewhere, the patch is printed for that place.',
    leaves:
      'A server that listens and answers wrongly; and where only the leader listens, only the leader is ready from then on.',
    answers: ['readiness-does-not-cover-webhook'],
    touches: [{ operation: 'patch', kinds: ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'] }],
  },
  requires: ['services', 'workloads'],
  plan({ callout }, facts) {
    const service = callout && serviceBehind(callout, facts);
    const workload = callout && workloadBehind(callout, facts);
    const port = callout && service && portBehind(callout, service);
    if (callout === undefined || workload === undefined || port === undefined) return undefined;
    const serving = servingContainer(workload, port);
    if (serving === undefined) return undefined;
    const { container, index } = serving;
    if (container.readinessProbe !== undefined) {
      return {
        refused: `Container ${container.name} of ${workloadName(workload)} has a readinessProbe that looks elsewhere, and a container can have only one: make what it asks cover the webhook.`,
      };
    }
    const readinessProbe = { tcpSocket: { port: serving.port }, periodSeconds: 5 };
    const plan = {
      remedy: 'add-readiness-probe',
      summary: `Pods of ${workloadName(workload)} are ready when port ${serving.port} is open`,
      mends: [calloutId(callout)],
      warnings: ['All its Pods are replaced, one after the other.'],
    };
    return declarationPlan(
      plan,
      workload,
      containerPatch(workload, container.name, { readinessProbe }),
      containerEdit(workload, index, 'readinessProbe', readinessProbe),
    );
  },
});
