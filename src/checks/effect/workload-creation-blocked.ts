import { anyPodCreation, mayCover, quotaUpdate } from '../../apiserver/admission/impact.ts';
import {
  denialIn,
  isErrorOfProgram,
  isOfOwnTemplate,
  isPanic,
} from '../../apiserver/sentences/component-texts/denial-reasons.ts';
import { groupBy } from '../../basics/collections.ts';
import { isAdmission } from '../../facts/callout.ts';
import { affectedNames, workloadArgument } from '../../facts/workloads/workloads.ts';
import { briefEnd } from '../../phrases/brief.ts';
import { type RefusedPods, refusedBy, refusedEvidence, refusedText } from '../../pods/refused-pods.ts';
import { defineCheck } from '../check.ts';
import { correctTemplate } from '../response/response-fault-check.ts';

const sinceText = (refused: readonly RefusedPods[]): string => {
  const first = refused.flatMap(({ since }) => since ?? []).sort()[0];
  return first === undefined ? '' : `, since ${first}`;
};

function messageFor({ blame, event: { message = '' } }: RefusedPods, isOfQuota: boolean) {
  if (blame.error.kind !== 'denial') return 'missing';
  if (isPanic(message)) return 'panicked';
  if (isOfOwnTemplate(message)) return 'template';
  if (isErrorOfProgram(denialIn(message))) return 'failed';
  return isOfQuota ? 'quota' : 'denied';
}

/**
 * The workload that the commands of a message name: the one of the newest Event that kubectl edits, or if a step creates a
 * ReplicaSet, the first Deployment.
 */
function namesOf(messageId: ReturnType<typeof messageFor>, refused: readonly RefusedPods[]) {
  const workloads = refused.map(({ workload }) => workload);
  const deployment = workloads.find(({ kind }) => kind === 'Deployment');
  const edited = workloads.find((one) => workloadArgument(one) !== undefined);
  const named = affectedNames((messageId === 'missing' ? deployment : edited) ?? workloads[0]);
  return { ...named, recreated: deployment && named.affected };
}

export const workloadCreationBlocked = defineCheck({
  meta: {
    id: 'workload-creation-blocked',
    title: 'Workloads cannot create Pods because of this webhook',
    severity: 'error',
    confidence: 'observed',
    why: 'The API server refused the Pods of the controller, with an error that names this webhook. The controller retries with a growing delay of up to 17 minutes, so Pods appear some time after the webhook responds again.',
    advice:
      '[end] Fix the cause of the failed call. [end] To retry at once, create a new ReplicaSet: `kubectl -n {place} rollout restart {recreated}`.',
    messages: {
      missing: '{pods} of {workloads} cannot be created{since}',
      quota: {
        text: '{pods} of {workloads} cannot be created: the webhook denies the update of resourcequotas/status, with which the API server counts them{since}',
        advice:
          '[end] Exclude `resourcequotas/status` from the rules of the webhook: `kubectl edit {kind} {configuration}`. [end] Or correct the policy or the version of the program that denies the update.',
      },
      panicked: {
        text: '{pods} of {workloads} cannot be created, because the program of the webhook panics{since}',
        advice:
          '[see] The stack trace is in the log of the program: `kubectl -n {namespace} logs {backend}`. [end] Use a version of the program without this error. [end] Until then, set the expected fields, such as annotations, in the Pod template: `kubectl -n {place} edit {affected}`.',
      },
      template: {
        text: '{pods} of {workloads} cannot be created: the template of the webhook fails for them{since}: {error}',
        advice: `${correctTemplate} [end] If the template fails for some Pods only, correct the labels and annotations that it reads: \`kubectl -n {place} edit {affected}\`. [with] \`failurePolicy\` has no effect on a denial.`,
      },
      failed: {
        text: '{pods} of {workloads} cannot be created: the webhook denies them because of an error of its program{since}: {error}',
        advice:
          '[end] Fix what the error names: a file of the program is in its ConfigMap or Secret. [look] Read the log of the program: `kubectl -n {namespace} logs {backend}`. [end] If the last rollout brought the error, undo it: `kubectl -n {namespace} rollout undo {revised}`. [with] `failurePolicy` has no effect on a denial.',
      },
      denied: {
        text: '{pods} of {workloads} cannot be created: the webhook denies them{since}',
        severity: 'info',
        advice:
          '[end] Correct the Pod template as the denial demands: `kubectl -n {place} edit {affected}`. [end] Or exclude these Pods in the policy of the webhook.',
      },
    },
    follows: 'every-break',
    references: ['/docs/concepts/workloads/controllers/deployment/#failed-deployment'],
  },
  requires: ['callouts', 'failedCreateEvents', 'podControllers'],
  subjects: ({ callouts, failedCreateEvents }) =>
    failedCreateEvents.why('FailedCreate')?.why === 'not-requested' ? [] : callouts.filter(isAdmission),
  run(callout, facts, find) {
    const all = refusedBy(callout, facts);
    const isOfQuota = mayCover(callout, quotaUpdate) && !mayCover(callout, anyPodCreation);
    return [...groupBy(all, (refused) => messageFor(refused, isOfQuota))].map(([messageId, refused]) => {
      return find(
        messageId,
        {
          ...refusedText(refused),
          since: sinceText(refused),
          error: briefEnd(denialIn(refused[0].event.message ?? '')),
        },
        refusedEvidence(refused),
        namesOf(messageId, refused),
      );
    });
  },
});
