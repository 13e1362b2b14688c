import { addDisruptionBudget } from './add-disruption-budget.ts';
import { addPreStop } from './add-pre-stop.ts';
import { addReadinessProbe } from './add-readiness-probe.ts';
import { deleteOrphanedConfiguration } from './delete-orphaned-configuration.ts';
import { excludeBackendNamespace } from './exclude-backend-namespace.ts';
import { excludeByCondition } from './exclude-by-condition.ts';
import { excludeNamespace } from './exclude-namespace.ts';
import { excludeSystemNamespaces } from './exclude-system-namespaces.ts';
import { fixPodTemplate } from './fix-pod-template.ts';
import { fixServicePort } from './fix-service-port.ts';
import { fixServiceReference } from './fix-service-reference.ts';
import { fixServiceSelector } from './fix-service-selector.ts';
import { fixServiceSettings } from './fix-service-settings.ts';
import { fixTargetPort } from './fix-target-port.ts';
import { flipFailurePolicy } from './flip-failure-policy.ts';
import { injectCaBundle } from './inject-ca-bundle.ts';
import { raiseMemoryLimit } from './raise-memory-limit.ts';
import { releaseLease } from './release-lease.ts';
import type { Remedy } from './remedy.ts';
import { renewCertificate } from './renew-certificate.ts';
import { replaceUrl } from './replace-url.ts';
import { restartWorkload } from './restart-workload.ts';
import { restoreScheduler } from './restore-scheduler.ts';
import { resumeRollout } from './resume-rollout.ts';
import { scaleToOne } from './scale-to-one.ts';
import { scaleUp } from './scale-up.ts';
import { setTimeout } from './set-timeout.ts';
import { undoRollout } from './undo-rollout.ts';
import { undoScaleToZero } from './undo-scale-to-zero.ts';

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
