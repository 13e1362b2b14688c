import { withNextCommands } from '../../src/diagnose/next-commands.ts';
import type { CalloutReport, DoctorReport, FindingReport } from '../../src/diagnose/report.ts';
import { withStories } from '../../src/diagnose/stories.ts';
import { calloutId } from '../../src/facts/callout.ts';
import type { ObjectRef } from '../../src/facts/object-ref.ts';
import type { NotLookedAt } from '../../src/facts/unread.ts';
import { type Command, type FilledAdvice, type Names, stepTemplates } from '../../src/phrases/advice.ts';
import { takenAt } from './snapshot.ts';

type Verdict = CalloutReport['verdict'];

/** A healthy validating webhook policy/policy.example.com of shop/policy, with changes. */
export const calloutReport = (
  over: Partial<Omit<CalloutReport, 'verdict'>> & { readonly verdict?: Partial<Verdict> } = {},
): CalloutReport => ({
  kind: 'validating',
  configuration: 'policy',
  webhook: 'policy.example.com',
  index: 0,
  ...(['conversion', 'aggregated-api'].includes(over.kind ?? '') ? {} : { failurePolicy: 'Fail' }),
  timeoutSeconds: 10,
  backend: { service: { namespace: 'shop', name: 'policy', port: 443, path: '/validate' } },
  replicas: [],
  chain: {},
  ...over,
  verdict: { state: 'healthy', confidence: 'derived', because: [], effect: 'none', ...over.verdict },
});

/** An advice with values for its commands. */
export const advising = (text: string, names: Names = {}): FilledAdvice => ({
  steps: stepTemplates(text),
  names,
});

/** A command without placeholders. */
export const running = (text: string): Command => ({ text, runnable: true, placeholders: [] });

/** The object of `Kind namespace/name` or `Kind name`. */
export function objectOf(text: string): ObjectRef {
  const [kind = '', path = ''] = text.split(' ');
  const [name = '', namespace] = path.split('/').reverse();
  return { kind, ...(namespace === undefined ? {} : { namespace }), name };
}

/** A finding about a webhook; `check` is also the first part of its id. */
export const findingReport = (
  callout: CalloutReport,
  over: Partial<FindingReport> & Pick<FindingReport, 'check'>,
): FindingReport => ({
  id: `${over.check}:${calloutId(callout)}`,
  severity: 'error',
  confidence: 'derived',
  link: 'routing',
  subject: { kind: 'ValidatingWebhookConfiguration', name: callout.configuration, webhook: callout.webhook },
  callout: calloutId(callout),
  title: `Title of ${over.check}`,
  message: `Message of ${over.check}.`,
  why: `Why ${over.check} matters.`,
  advice: advising(`Advice of ${over.check}.`),
  evidence: [],
  remedies: [],
  ...over,
});

/** A report with these parts; its summary is computed. */
export function reportOf(
  callouts: readonly CalloutReport[],
  findings: readonly FindingReport[] = [],
  notLookedAt: readonly NotLookedAt[] = [],
): DoctorReport {
  const states = (state: Verdict['state']): number =>
    callouts.filter(({ verdict }) => verdict.state === state).length;
  const graded = (severity: FindingReport['severity']): number =>
    findings.filter((finding) => finding.severity === severity).length;
  const report = withStories({
    apiVersion: 'kubectl-webhook/v1',
    kind: 'DoctorReport',
    takenAt,
    cluster: { server: 'https://cluster.example', context: 'prod-eu-1', version: 'v1.35.4' },
    summary: {
      callouts: {
        total: callouts.length,
        healthy: states('healthy'),
        degraded: states('degraded'),
        failing: states('failing'),
        unknown: states('unknown'),
      },
      findings: { error: graded('error'), warning: graded('warning'), info: graded('info') },
    },
    blocked: [],
    unchecked: [],
    possiblyBlocked: [],
    coverage: {
      callouts: callouts.length,
      probed: 0,
      notProbed: callouts.filter(
        ({ verdict }) => verdict.state === 'healthy' && verdict.confidence === 'derived',
      ).length,
    },
    callouts,
    findings,
    notLookedAt,
  });
  return withNextCommands(report);
}
