import { injectCaBundle } from './certificate/inject-ca-bundle.ts';
import { renewCertificate } from './certificate/renew-certificate.ts';
import { addPreStop } from './pod-template/add-pre-stop.ts';
import { addReadinessProbe } from './pod-template/add-readiness-probe.ts';
import { fixPodTemplate } from './pod-template/fix-pod-template.ts';
import { raiseMemoryLimit } from './pod-template/raise-memory-limit.ts';
import { resumeRollout } from './pod-template/resume-rollout.ts';
import { undoRollout } from './pod-template/undo-rollout.ts';
import type { Remedy } from './remedy.ts';
import { fixServicePort } from './service/fix-service-port.ts';
import { fixServiceSelector } from './service/fix-service-selector.ts';
import { fixServiceSettings } from './service/fix-service-settings.ts';
import { fixTargetPort } from './service/fix-target-port.ts';
import { deleteOrphanedConfiguration } from './webhook/delete-orphaned-configuration.ts';
import { excludeBackendNamespace } from './webhook/exclude-backend-namespace.ts';
import { excludeByCondition } from './webhook/exclude-by-condition.ts';
import { excludeNamespace } from './webhook/exclude-namespace.ts';
import { excludeSystemNamespaces } from './webhook/exclude-system-namespaces.ts';
import { fixServiceReference } from './webhook/fix-service-reference.ts';
import { flipFailurePolicy } from './webhook/flip-failure-policy.ts';
import { replaceUrl } from './webhook/replace-url.ts';
import { setTimeout } from './webhook/set-timeout.ts';
import { addDisruptionBudget } from './workload/add-disruption-budget.ts';
import { releaseLease } from './workload/release-lease.ts';
import { restartWorkload } from './workload/restart-workload.ts';
import { restoreScheduler } from './workload/restore-scheduler.ts';
import { scaleToOne } from './workload/scale-to-one.ts';
import { scaleUp } from './workload/scale-up.ts';
import { undoScaleToZero } from './workload/undo-scale-to-zero.ts';

/** Every remedy: those that fix before those that only mitigate, the least destructive first in each. */
export const remedyCatalogue: readonly Remedy[] = [
  fixServicePort,
  fixServiceReference,
  fixTargetPort,
  fixServiceSelector,
  fixServiceSettings,
  replaceUrl,
  injectCaBundle,
  renewCertificate,
  undoScaleToZero,
  resumeRollout,
  fixPodTemplate,
  undoRollout,
  raiseMemoryLimit,
  releaseLease,
  restartWorkload,
  excludeBackendNamespace,
  excludeByCondition,
  excludeSystemNamespaces,
  scaleUp,
  scaleToOne,
  setTimeout,
  restoreScheduler,
  addDisruptionBudget,
  addPreStop,
  addReadinessProbe,
  deleteOrphanedConfiguration,
  excludeNamespace,
  flipFailurePolicy,
];
