import type { AdmissionCallout } from '../../facts/callout.ts';
import type { CalloutProbes } from '../../facts/probes.ts';
import { apiReadText } from '../../facts/unread.ts';
import { dryRunOf, invalidAfter, planDryRun, sendDryRun } from './dry-run.ts';
import { repeatCalls } from './repeat-calls.ts';
import { isUnread, orCutOff, type Run } from './run.ts';

/** Sends a dry run for which the API server calls this webhook. */
export async function probeDryRun(
  run: Run,
  callout: AdmissionCallout,
): Promise<Pick<CalloutProbes, 'dryRun' | 'invalid' | 'notTried'>> {
  if (run.plan.level !== 'review') return { notTried: [] };
  const { facts, prober, signal } = run;
  const planned = planDryRun(callout, facts.callouts, facts, facts.version);
  if (isUnread(planned)) return { notTried: [planned] };
  const { verb } = planned.request;
  const { served, request } = planned.sample;
  const permission = { resource: served.resource, verb, dryRun: true, namespace: request.namespace } as const;
  const what = `a server-side dry run: ${apiReadText(permission)}`;
  const sent = await orCutOff(run, what, () =>
    run.dryRuns(planned.key, () =>
      run.slot(() => sendDryRun(prober, planned, callout.timeoutSeconds, signal)),
    ),
  );
  if (isUnread(sent)) return { notTried: [sent] };
  const outcome = dryRunOf(callout, facts, planned, sent);
  if (!isUnread(outcome)) {
    const again = async () =>
      dryRunOf(callout, facts, planned, await sendDryRun(prober, planned, callout.timeoutSeconds, signal));
    const repeated = await orCutOff(run, what, () =>
      run.slot(() => repeatCalls(run, callout, outcome, again)),
    );
    return { dryRun: isUnread(repeated) ? outcome : repeated, notTried: [] };
  }
  run.refused.remember(permission, outcome);
  const invalid = invalidAfter(callout, planned, sent);
  return { ...(invalid === undefined ? {} : { invalid }), notTried: [outcome] };
}
