import { identityRights, recordRights, touchRights, undoRights } from '../../change/change-rights.ts';
import { electionRights } from '../../change/lease.ts';
import type { Touch } from '../../change/plan.ts';
import { catalogue as checks } from '../../checks/catalogue.ts';
import type { ReadOptions } from '../../collect/collector.ts';
import { rightsToRead } from '../../collect/collectors/catalogue.ts';
import { firstCollectors } from '../../collect/collectors/first.ts';
import { admissionRights } from '../../collect/collectors/webhook-configurations.ts';
import { callerReviewRights } from '../../collect/kube/caller-review.ts';
import { stuckObjectRights } from '../../collect/stuck-object.ts';
import { isAboutCertificates } from '../../diagnose/build-certificate-report.ts';
import type { ProbeLevel } from '../../facts/probes.ts';
import type { Right } from '../../facts/right.ts';
import type { FactName } from '../../facts/snapshot.ts';
import { remedyCatalogue } from '../../remedies/catalogue.ts';
import { CannotStart } from '../cannot-start.ts';
import { restorerGrants, restorerTouches } from '../change/restorer.ts';
import { remedyFacts } from '../fix/attach-remedies.ts';

/** The options that decide which permissions a command needs. */
export interface RightsQuestion {
  readonly probe: ProbeLevel;
  /** Ids of remedies; empty for all. */
  readonly remedies: readonly string[];
  /** Permissions for dry runs with the webhooks of this cluster. */
  readonly restorer: boolean;
  /** Of the dry runs that this cluster's webhooks call for. */
  readonly dryRuns: readonly Right[];
  /** Namespaces of the ServiceAccounts that get the roles. */
  readonly accounts?: readonly string[];
}

const configurations: readonly Touch[] = [
  { operation: 'patch', kinds: ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'] },
];

const judged: readonly FactName[] = checks.flatMap(({ requires }) => requires);

const { callouts, namespaces } = firstCollectors;

/** The most that a command may read. */
const readOptions = (
  topics: ReadOptions['topics'],
  probe: ReadOptions['probe'],
  metrics?: ReadOptions['metrics'],
): ReadOptions => ({
  chosen: [],
  examineAll: true,
  topics,
  probe,
  metrics,
});

const readRights =
  (facts: readonly FactName[], topics: ReadOptions['topics']) =>
  ({ probe: level, dryRuns }: RightsQuestion): readonly Right[] => [
    ...rightsToRead(facts, readOptions(topics, level === 'none' ? undefined : { level })),
    ...(level === 'review' ? dryRuns : []),
  ];

const readAndFixRights = readRights([...judged, ...remedyFacts], ['failures', 'certificates', 'deadlocks']);

/** Permissions to examine the webhooks that a log or pasted error names. */
const readFailuresRights = readRights(judged, ['failures']);

const certificateFacts = checks.filter(isAboutCertificates).flatMap(({ requires }) => requires);

/** Throws {@link CannotStart} for unknown ids of remedies. */
function touchesOf({ remedies }: RightsQuestion): readonly Touch[] {
  const all = remedyCatalogue.map(({ meta }) => meta);
  const unknown = remedies.find((id) => !all.some((meta) => meta.id === id));
  if (unknown !== undefined) throw new CannotStart(`there is no remedy "${unknown}"`);
  return all.flatMap(({ id, touches }) => (remedies.length === 0 || remedies.includes(id) ? touches : []));
}

const failurePolicy = (question: RightsQuestion): readonly Right[] => [
  ...readAndFixRights({ ...question, probe: 'none' }),
  ...identityRights,
  ...touchRights(configurations),
];

const takingBack = (question: RightsQuestion): readonly Right[] => [
  ...identityRights,
  ...recordRights,
  ...undoRights([...configurations, ...touchesOf(question), ...(question.restorer ? restorerTouches : [])]),
];

const doctorRights = (question: RightsQuestion): readonly Right[] => [
  ...readAndFixRights(question),
  ...stuckObjectRights,
  ...rightsToRead(['metrics'], readOptions(['failures'], undefined, {})),
];

/** Adds the verb `watch` to permissions with `list`. */
export const withWatch = (right: Right): Right =>
  right.verbs.includes('list') ? { ...right, verbs: [...right.verbs, 'watch'] } : right;

/** Probes connect to Pods directly: at no level do they need permissions in the API server. */
const serveRights = ({ probe, accounts = [] }: RightsQuestion): readonly Right[] => [
  ...rightsToRead(
    [...judged, ...remedyFacts, ...certificateFacts, 'metrics'],
    readOptions(
      ['failures', 'certificates', 'deadlocks'],
      probe === 'none' ? undefined : { level: 'connect', replicasOnly: true },
      {},
    ),
  ).map(withWatch),
  ...callerReviewRights,
  ...accounts.flatMap(electionRights),
];

/** The permissions of each command that connects to a cluster, from the declarations of its parts. */
export const commandRights: Readonly<Record<string, (question: RightsQuestion) => readonly Right[]>> = {
  doctor: doctorRights,
  // Its tools are doctor and commands that read a subset.
  mcp: doctorRights,
  serve: serveRights,
  list: () => Object.values(firstCollectors).flatMap(({ rights }) => rights),
  trace: readAndFixRights,
  'what-if': readAndFixRights,
  // In a cluster it only reads objects.
  lint: (question) => readAndFixRights({ ...question, probe: 'none' }),
  wait: readAndFixRights,
  snapshot: readAndFixRights,
  'cert-check': ({ probe }) =>
    rightsToRead(
      certificateFacts,
      readOptions(['certificates'], probe === 'none' ? undefined : { level: 'connect', replicasOnly: true }),
    ),
  fix: (question) => [...readAndFixRights(question), ...identityRights, ...touchRights(touchesOf(question))],
  failopen: (question) => [
    ...failurePolicy(question),
    ...(question.restorer ? [...touchRights(restorerTouches), ...restorerGrants] : []),
  ],
  failclosed: failurePolicy,
  undo: takingBack,
  changes: (question) =>
    takingBack(question).map((right) => ({
      ...right,
      verbs: right.verbs.filter((verb) => verb === 'get' || verb === 'list'),
    })),
  alerts: () => callouts.rights,
  scan: readFailuresRights,
  explain: readFailuresRights,
  soak: ({ dryRuns }) => [
    ...admissionRights,
    ...namespaces.rights,
    ...dryRuns.filter(({ verbs }) => verbs.includes('create') || verbs.includes('patch')),
  ],
  completion: () => [...callouts.rights, ...namespaces.rights],
};
