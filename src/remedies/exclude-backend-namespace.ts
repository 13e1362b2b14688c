import { foreseenByService, foreseenByWorkload } from '../apiserver/admission-path.ts';
import { bootstrapOf } from '../apiserver/bootstrap.ts';
import { isAdmission } from '../facts/callout.ts';
import { systemNamespaces } from '../products/system-namespaces.ts';
import { serviceBehind, workloadBehind } from './backend.ts';
import { excluding, exclusionPlan, listed } from './exclusion.ts';
import { defineRemedy } from './remedy.ts';
import { andTryAgain } from './try-again.ts';

export const excludeBackendNamespace = defineRemedy({
  meta: {
    id: 'exclude-backend-namespace',
    title: 'Leave the namespaces out on which the backend itself depends',
    risk: 'careful',
    does: "Adds the backend's own namespace to those that the namespaceSelector leaves out, and those of the control plane and of nodes where its rules reach them: then its Pods can start while nobody answers. Where they wait for it now, their workload is restarted, so that its controller tries again at once.",
    leaves:
      'Whatever else keeps the Pods from starting. Until they are ready, requests elsewhere are refused as before.',
    answers: ['bootstrap-deadlock', 'covers-own-configuration-path'],
    touches: [
      { operation: 'patch', kinds: ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] },
      { operation: 'restart', kinds: ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'] },
    ],
  },
  requires: ['services', 'workloads', 'namespaces', 'served', 'version'],
  plan({ callout, breaks }, facts) {
    if (callout === undefined || !isAdmission(callout) || callout.failurePolicy === 'Ignore')
      return undefined;
    const service = serviceBehind(callout, facts);
    if (service === undefined) return undefined;
    const own = service.metadata.namespace ?? '';
    const workload = workloadBehind(callout, facts);
    const pod = workload === undefined ? foreseenByService(service) : foreseenByWorkload(workload, service);
    const fits = (names: readonly string[]) => bootstrapOf(excluding(callout, names), pod, facts).outcome;
    const near = [own];
    const far = [...new Set([own, ...systemNamespaces(facts), 'kube-node-lease'])];
    const names = [near, far].find((candidate) => fits(candidate) === 'free');
    if (names === undefined) {
      return {
        refused: `Nobody can tell whether its Pods could start without it being asked about ${listed(far)}. Fail open first, then narrow the rules.`,
      };
    }
    const plan = exclusionPlan('exclude-backend-namespace', callout, names);
    return breaks === true && workload !== undefined ? andTryAgain(plan, callout, workload) : plan;
  },
});
