import type { CalloutReport, DoctorReport, FindingReport } from '../diagnose/report.ts';
import { calloutId } from '../facts/callout.ts';

/** `Kind namespace/name` of a piece of evidence, `Kind name (webhook)` for cluster-scoped ones. */
const object = /^(\w+) (?:([^\s/]+)\/)?(\S+)/;

type Called = Pick<CalloutReport, 'kind' | 'configuration' | 'backend'>;

interface Named {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

const kinds = {
  validating: 'ValidatingWebhookConfiguration',
  mutating: 'MutatingWebhookConfiguration',
  conversion: 'CustomResourceDefinition',
  'aggregated-api': 'APIService',
};

function objectsOf(finding: FindingReport, callouts: readonly Called[]): readonly Named[] {
  const texts = [
    ...finding.evidence.map((evidence) => evidence.object),
    ...callouts.flatMap(({ kind, configuration, backend: { service } }) => [
      `${kinds[kind]} ${configuration}`,
      ...(service === undefined ? [] : [`Service ${service.namespace}/${service.name}`]),
    ]),
  ];
  return texts.flatMap((text) => {
    const [, kind = '', namespace, name = ''] = object.exec(text) ?? [];
    return name === '' ? [] : [{ kind: kind.toLowerCase(), namespace, name }];
  });
}

/** The only value; nothing when there is none or a choice. */
function only(values: readonly (string | undefined)[]): string | undefined {
  const [first, ...others] = new Set(values.filter((value) => value !== undefined));
  return others.length === 0 ? first : undefined;
}

/** `status.containerStatuses[webhook]`, `log of webhook`: the containers that the evidence names. */
const containersOf = ({ evidence }: FindingReport): readonly (string | undefined)[] =>
  evidence.map(({ field = '' }) => /ontainerStatuses\[([a-z][^\]]*)\]/.exec(field)?.[1]);

function filledIn(command: string, finding: FindingReport, objects: readonly Named[]): string {
  const nameOf = (kind: string): string | undefined =>
    only(
      objects.filter((named) => named.kind === kind.toLowerCase().replace(/s$/, '')).map(({ name }) => name),
    );
  const pod = objects.find(({ kind }) => kind === 'pod')?.name;
  return command
    .replace(/\bNAMESPACE\b/g, only(objects.map(({ namespace }) => namespace)) ?? 'NAMESPACE')
    .replace(/\bPOD\b/g, pod ?? 'POD')
    .replace(/\bCONTAINER\b/g, only(containersOf(finding)) ?? 'CONTAINER')
    .replace(/\b([a-z]+)([ /])NAME\b/g, (whole, kind: string, between: string) => {
      const name = nameOf(kind);
      return name === undefined ? whole : `${kind}${between}${name}`;
    });
}

/**
 * Advice with NAMESPACE, POD, CONTAINER and NAME in its kubectl commands filled in, where the objects of the finding and of the callouts
 * that share it leave no choice (any Pod of several will do). What is not certain stays a placeholder.
 */
export function fillIn(advice: string, finding: FindingReport, callouts: readonly Called[]): string {
  const objects = objectsOf(finding, callouts);
  return advice
    .replace(/`kubectl [^`\n]+`/g, (command) => filledIn(command, finding, objects))
    .replace(/^\s*kubectl .*$/gm, (command) => filledIn(command, finding, objects));
}

/** The report with every advice filled in from its finding and its callout: for readers that put nothing together. */
export function withAdviceFilledIn(report: DoctorReport): DoctorReport {
  const callouts = new Map(report.callouts.map((callout) => [calloutId(callout), callout]));
  const filled = (finding: FindingReport): FindingReport => {
    const callout = callouts.get(finding.callout ?? '');
    return { ...finding, advice: fillIn(finding.advice, finding, callout === undefined ? [] : [callout]) };
  };
  return { ...report, findings: report.findings.map(filled) };
}
