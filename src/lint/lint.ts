import type { Operation } from '../apiserver/admission/admission-request.ts';
import { matchRequest } from '../apiserver/admission/match.ts';
import { isBlank } from '../apiserver/certificate/anchors.ts';
import { isRemoved, isValidated, validationErrorOf } from '../apiserver/validation/validation-error.ts';
import { defined, groupBy } from '../basics/collections.ts';
import { severities } from '../checks/chain.ts';
import { failingOpenNow } from '../checks/failure-policy/failing-open-now.ts';
import { serviceNamespaceMissing } from '../checks/routing/service-namespace-missing.ts';
import { caBundleEmpty } from '../checks/tls/ca-bundle/ca-bundle-empty.ts';
import { caBundleExpired } from '../checks/tls/ca-bundle/ca-bundle-expired.ts';
import { caBundleExpiring } from '../checks/tls/ca-bundle/ca-bundle-expiring.ts';
import { caBundleInvalid } from '../checks/tls/ca-bundle/ca-bundle-invalid.ts';
import type { ShowsFinding } from '../diagnose/findings/shown-findings.ts';
import type { DoctorReport, FindingReport } from '../diagnose/report.ts';
import { type AdmissionCallout, type Callout, calloutId, isAdmission } from '../facts/callout.ts';
import { type ObjectRef, refOf, refText } from '../facts/object-ref.ts';
import { resourceOfKind, type ServedResource } from '../facts/served-resources.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { NotLookedAt } from '../facts/unread.ts';
import { stepTemplates } from '../phrases/advice.ts';
import { agreeing, counted } from '../phrases/lists.ts';
import { requestedInjector } from '../products/ca-injectors.ts';
import { ownInjector } from '../products/writers.ts';
import { backendFindings } from './backends.ts';
import type { LintFinding, LintReport } from './lint-report.ts';
import type { Manifest } from './manifest.ts';

const refusal = {
  check: 'refused-by-api-server',
  severity: 'error',
  confidence: 'derived',
  link: 'registration',
  title: 'API server refuses to store the object',
  why: 'The API server validates an object before it stores it. Nothing of the object takes effect.',
  advice: { steps: stepTemplates('Correct the field, then run this command again.'), names: {} },
  evidence: [],
  remedies: [],
  page: 'docs/lint.md',
} as const;

const refOfManifest = ({ object: { kind, metadata } }: Manifest): ObjectRef =>
  refOf(kind, { ...metadata, name: metadata.name ?? '' });

const refused = (manifest: Manifest, field: string, message: string): LintFinding => ({
  ...refusal,
  id: `${refusal.check}:${refText(refOfManifest(manifest)).replace(' ', '/')}${field === '' ? '' : `:${field}`}`,
  subject: refOfManifest(manifest),
  message,
  ...(field === '' ? {} : { field }),
  file: manifest.file,
  line: manifest.lineOf(field),
});

/** A finding for each field that the API server would reject. */
function refusals(manifest: Manifest, { version, misshapen }: LintOptions): readonly LintFinding[] {
  const { object } = manifest;
  if (isRemoved(object)) {
    const [group = ''] = object.apiVersion.split('/');
    const message = `${object.apiVersion} is not served since Kubernetes 1.22: use ${group}/v1`;
    return [refused(manifest, 'apiVersion', message)];
  }
  const found = isValidated(object) ? validationErrorOf(object, { strict: true, version }) : undefined;
  const field = misshapen.get(manifest);
  if (found === undefined && field !== undefined)
    return [
      refused(
        manifest,
        field,
        `${field || 'The object'} is missing, or does not have the type that the API requires`,
      ),
    ];
  return (found?.errors ?? []).map(({ field: at, text }) =>
    refused(manifest, at, at === '' || text.startsWith(at) ? text : `${at}: ${text}`),
  );
}

/** The cluster to which manifests would be applied. */
export interface Destination {
  /** Before they are applied: its webhooks may intercept the objects. */
  readonly report: DoctorReport;
  readonly before: Facts;
  /** After they are applied. */
  readonly after: Pick<Facts, 'namespaces' | 'served'>;
}

const operations: readonly Operation[] = ['CREATE', 'UPDATE'];

/** A webhook whose next call fails, so that it refuses requests. */
interface Blocker {
  readonly callout: AdmissionCallout;
  readonly error: string;
}

/** The webhooks of the cluster that no manifest replaces. */
function blockersIn({ report, before }: Destination, find: FindManifest): readonly Blocker[] {
  const verdicts = new Map(report.callouts.map((one) => [calloutId(one), one.verdict]));
  return before.callouts.filter(isAdmission).flatMap((callout) => {
    const { state, effect, error = 'the call fails' } = verdicts.get(calloutId(callout)) ?? {};
    const blocks = state === 'failing' && effect === 'blocks' && find(callout.ref) === undefined;
    return blocks ? [{ callout, error }] : [];
  });
}

interface PlacedResource {
  readonly resource: ServedResource;
  readonly namespace: string;
}

/** The broken webhook that refuses both the creation and the update of an object. */
function blockedBy(
  { object }: Manifest,
  { resource: { group, version, resource, kind, namespaced }, namespace }: PlacedResource,
  blockers: readonly Blocker[],
  before: Facts,
): Blocker | undefined {
  const { name, labels } = object.metadata;
  const request = {
    ...{ group, version, resource, kind, objectPart: object },
    ...defined({ name, labels }),
    ...(namespaced ? { namespace } : defined({ namespace: kind === 'Namespace' ? name : undefined })),
  };
  return blockers.find(({ callout }) =>
    operations.every(
      (operation) => matchRequest(callout, { ...request, operation }, before).outcome === 'called',
    ),
  );
}

/**
 * Manifests whose Namespace does not exist in the cluster, by namespace.
 *
 * @param home namespace of objects that have none.
 */
function withoutNamespace(
  manifests: readonly Manifest[],
  { after: { served: lookup, namespaces } }: Destination,
  home: string,
): ReadonlyMap<string, readonly Manifest[]> {
  const served = lookup.getIfKnown('served');
  const namespaceOf = ({ object: { metadata } }: Manifest): string => metadata.namespace ?? home;
  const lost = manifests.filter(
    (one) =>
      served !== undefined &&
      resourceOfKind(one.object, served)?.namespaced === true &&
      namespaces.isAbsent(namespaceOf(one)),
  );
  return groupBy(lost, namespaceOf);
}

/** A missing Namespace, reported for the first object in it. */
function namespaceMissing(
  namespace: string,
  [first, ...others]: readonly Manifest[],
): readonly LintFinding[] {
  if (first === undefined) return [];
  const needs = `${counted(others.length, 'more object')} of these manifests ${agreeing(others.length, 'needs', 'need')} it`;
  const message = `namespaces "${namespace}" not found${others.length === 0 ? '' : `, and ${needs}`}`;
  return [
    {
      ...refused(first, 'metadata.namespace', message),
      advice: {
        steps: stepTemplates('Create the Namespace first: `kubectl create namespace {namespace}`.'),
        names: { namespace },
      },
    },
  ];
}

/** Reasons that this cluster would not store a valid object. */
function refusalThere(
  manifest: Manifest,
  { before, after }: Destination,
  blockers: readonly Blocker[],
  home: string,
): readonly LintFinding[] {
  const { object } = manifest;
  const { served: lookup, namespaces } = after;
  const served = lookup.getIfKnown('served');
  if (served === undefined || isRemoved(object)) return [];
  const resource = resourceOfKind(object, served);
  if (resource === undefined)
    return served.stale.includes(object.apiVersion)
      ? []
      : [refused(manifest, 'apiVersion', `the cluster serves no ${object.kind} of ${object.apiVersion}`)];
  const { namespace = home } = object.metadata;
  if (resource.namespaced && namespaces.isAbsent(namespace)) return [];
  const blocked = blockedBy(manifest, { resource, namespace }, blockers, before);
  if (blocked === undefined) return [];
  const { ref, configuration, webhook } = blocked.callout;
  return [
    {
      ...refused(
        manifest,
        '',
        `webhook ${webhook} of ${configuration} intercepts it, and its next call fails`,
      ),
      advice: {
        steps: stepTemplates('Fix the webhook first: `kubectl webhook doctor {configuration}`.'),
        names: { configuration },
      },
      evidence: [{ object: ref, value: blocked.error }],
    },
  ];
}

type FindManifest = (ref: ObjectRef) => Manifest | undefined;

const placeOf = ({ kind, namespace, name }: ObjectRef): string =>
  [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/');

/**
 * If several have the same name, the last: it is the one in effect after they are applied.
 *
 * @param home namespace of objects that have none.
 */
function manifestsByPlace(manifests: readonly Manifest[], home: string): FindManifest {
  const found = new Map<string, Manifest>();
  for (const manifest of manifests) {
    const { kind, metadata } = manifest.object;
    const { name = '', namespace = home } = metadata;
    found.set(placeOf({ kind, name }), manifest);
    found.set(placeOf({ kind, namespace, name }), manifest);
  }
  return (ref) => found.get(placeOf(ref));
}

/** The line of an object, or of the webhook in it that the finding is about. */
function lineIn(manifest: Manifest, { webhook }: ObjectRef): number {
  const { webhooks = [] } = manifest.object as { webhooks?: readonly { name?: string }[] };
  const index = webhook === undefined ? -1 : webhooks.findIndex((one) => one?.name === webhook);
  return index < 0 ? manifest.line : manifest.lineOf(`webhooks[${index}]`);
}

/**
 * Whether the finding is about something that an installation need not contain yet: an empty caBundle, a
 * placeholder for one, or one that a known writer replaces.
 */
const isWrittenLater = ({ check }: FindingReport, callout: Callout | undefined): boolean =>
  check === caBundleEmpty.meta.id ||
  ([caBundleInvalid, caBundleExpired, caBundleExpiring].some(({ meta }) => meta.id === check) &&
    callout !== undefined &&
    (isBlank(callout.client.caBundle) ||
      (requestedInjector(callout.metadata) ?? ownInjector(callout)) !== undefined));

/** Locates a finding: in its object, else in another one of its evidence, which becomes its subject. */
function located(
  finding: FindingReport,
  find: FindManifest,
  callouts: ReadonlyMap<string, Callout>,
): readonly LintFinding[] {
  const { subject, evidence, severity: grade } = finding;
  const about = refText(subject);
  const isOwn = (ref: ObjectRef): boolean => refText(ref) === about;
  const own = evidence.find(({ object, field }) => field !== undefined && isOwn(object));
  const places = [...(own === undefined ? [] : [own]), ...evidence, { object: subject, field: undefined }];
  for (const { object, field } of places) {
    const manifest = find(object);
    if (manifest === undefined) continue;
    return [
      {
        ...finding,
        severity: isWrittenLater(finding, callouts.get(about)) ? 'info' : grade,
        ...(isOwn(object) ? {} : { subject: object }),
        file: manifest.file,
        line: field === undefined ? lineIn(manifest, object) : manifest.lineOf(field),
        ...(field !== undefined && isOwn(object) ? { field } : {}),
      },
    ];
  }
  return [];
}

/** Present effects depend on a cluster, so lint does not report them. */
const isAboutNow = ({ link, check }: FindingReport): boolean =>
  link === 'effect' || check === failingOpenNow.meta.id;

/** The input of lint besides the facts. */
export interface LintOptions {
  readonly files: number;
  readonly manifests: readonly Manifest[];
  /** Parts of the files that must be rendered first. */
  readonly templates: readonly NotLookedAt[];
  /** Namespace of objects that have none. */
  readonly namespace: string;
  /** Version of the API server that will store them; default: a current one. */
  readonly version: string | undefined;
  /** Objects that cannot be read as their kind, with the path of the invalid field; empty: the object. */
  readonly misshapen: ReadonlyMap<Manifest, string>;
  /** The cluster; undefined: none in particular. */
  readonly destination?: Destination | undefined;
  readonly show: ShowsFinding;
}

/** Findings in the order of the files; one of those with the same message, such as of several webhooks of one backend. */
function inOrderOf(manifests: readonly Manifest[], findings: readonly LintFinding[]): readonly LintFinding[] {
  const order = new Map([...new Set(manifests.map(({ file }) => file))].map((file, at) => [file, at]));
  const ordered = findings.toSorted(
    (a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || a.line - b.line,
  );
  const byMessage = groupBy(ordered, ({ file, line, subject, message }) =>
    JSON.stringify([file, line, refText(subject), message]),
  );
  return [...byMessage.values()].map(([first]) => first);
}

/** Combines what the API server would reject with the findings of checks, in the order of the files. Pure. */
export function lintReport(question: LintOptions, report: DoctorReport, facts: Facts): LintReport {
  const { files, templates, manifests, namespace, show, destination } = question;
  const find = manifestsByPlace(manifests, namespace);
  const callouts = new Map(facts.callouts.map((one) => [refText(one.ref), one]));
  const blockers = destination === undefined ? [] : blockersIn(destination, find);
  const lost = destination === undefined ? new Map() : withoutNamespace(manifests, destination, namespace);
  // Reported for the objects in that namespace already.
  const isCovered = ({ check, evidence }: FindingReport): boolean =>
    check === serviceNamespaceMissing.meta.id &&
    evidence.some(({ object: { kind, name } }) => kind === 'Namespace' && lost.has(name));
  const found = [
    ...manifests.flatMap((manifest) => {
      const rejected = refusals(manifest, question);
      return rejected.length > 0 || destination === undefined
        ? rejected
        : refusalThere(manifest, destination, blockers, namespace);
    }),
    ...[...lost].flatMap(([name, all]) => namespaceMissing(name, all)),
    ...[
      ...report.findings.filter((finding) => !isAboutNow(finding) && !isCovered(finding)),
      ...backendFindings(facts),
    ].flatMap((finding) => located(finding, find, callouts)),
  ].filter(({ check, severity }) => show(check, severity));
  const findings = inOrderOf(manifests, found);
  // Objects outside of the manifests may exist elsewhere; what was skipped for time or size is unknown.
  const late = report.notLookedAt.filter(({ why }) => why === 'timeout' || why === 'too-large');
  const notLookedAt = [...templates, ...(destination?.report.notLookedAt ?? []), ...late];
  const counts = severities.map((severity) => [
    severity,
    findings.filter((finding) => finding.severity === severity).length,
  ]);
  return {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'LintReport',
    takenAt: report.takenAt,
    summary: {
      files,
      objects: manifests.length,
      callouts: facts.callouts.filter(({ ref }) => find(ref) !== undefined).length,
      findings: Object.fromEntries(counts) as LintReport['summary']['findings'],
    },
    findings,
    ...(destination === undefined ? {} : { cluster: destination.report.cluster }),
    ...(destination === undefined && notLookedAt.length === 0 ? {} : { notLookedAt }),
  };
}
