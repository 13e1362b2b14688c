import type { AdmissionRequest, Operation } from '../../apiserver/admission/admission-request.ts';
import { impactOf } from '../../apiserver/admission/impact.ts';
import { extentText, selectedNamespaces } from '../../apiserver/admission/selected-namespaces.ts';
import { selectorText } from '../../apiserver/admission/selector-text.ts';
import { groupBy, unique } from '../../basics/collections.ts';
import type { ChangeTools } from '../../change/apply.ts';
import type { Plan } from '../../change/plan.ts';
import { type AdmissionCallout, calloutId, type FailurePolicy } from '../../facts/callout.ts';
import { changeRecords } from '../../facts/change-record.ts';
import type { ServedResource } from '../../facts/served-resources.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { agreeing, listed } from '../../phrases/lists.ts';
import { enforcedBy } from '../../products/of-webhook.ts';
import { webhookEdit, whoRevertsField } from '../../remedies/backend.ts';

type ScopeFacts = Pick<Facts, 'namespaces' | 'served'>;

const connecting: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** Operations of a resource that pass admission. */
function operationsOf({ resource, verbs }: ServedResource): readonly Operation[] {
  const [, subresource] = resource.split('/');
  if (subresource !== undefined && connecting.has(subresource)) return ['CONNECT'];
  return [
    ...(verbs.includes('create') ? (['CREATE'] as const) : []),
    ...(verbs.includes('update') || verbs.includes('patch') ? (['UPDATE'] as const) : []),
    ...(verbs.includes('delete') ? (['DELETE'] as const) : []),
  ];
}

/** Requests that a webhook matches, according to the model of the API server. */
interface Coverage {
  readonly operations: string;
  readonly resources: readonly string[];
  /** ` in all namespaces`; empty for resources outside of namespaces. */
  readonly where: string;
}

/** `CREATE and UPDATE of 3 resources (configmaps, pods, secrets) in all namespaces` */
function coverageText({ operations, resources, where }: Coverage): string {
  const [one] = resources;
  const what =
    resources.length === 1 ? one : `${resources.length} resources (${listed(resources, { most: 4 })})`;
  return `${operations} of ${what}${where}`;
}

function coverageOf(callout: AdmissionCallout, facts: ScopeFacts): Coverage {
  const names = selectedNamespaces(callout, facts);
  const served = facts.served.getIfKnown('served')?.resources ?? [];
  const requests = served.flatMap((resource) =>
    operationsOf(resource).map((operation) => ({
      served: resource,
      request: requestFor(resource, operation, names[0]),
    })),
  );
  const matched = impactOf(callout, requests, facts).matched.map(({ about }) => about);
  if (matched.length === 0) return coverageOfRules(callout, names, facts);
  const isInNone = matched.every(
    ({ served }) => !served.namespaced && !/^namespaces\b/.test(served.resource),
  );
  return {
    operations: listed([...new Set(matched.map(({ request }) => request.operation))]),
    resources: [...new Set(matched.map(({ served }) => served.resource))],
    where: isInNone || names.length === 0 ? '' : ` in ${extentText(names, facts)}`,
  };
}

function requestFor(
  { group, version, resource, namespaced }: ServedResource,
  operation: Operation,
  namespace = 'default',
): AdmissionRequest {
  const [plural = '', subresource] = resource.split('/');
  return {
    operation,
    group,
    version,
    resource: plural,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespaced ? { namespace } : {}),
  };
}

/** The rules themselves: discovery could not be read, or no namespace matches yet. */
function coverageOfRules(
  { rules, namespaceSelector }: AdmissionCallout,
  names: readonly string[],
  facts: ScopeFacts,
): Coverage {
  const isInNone = rules.every(({ scope }) => scope === 'Cluster');
  const where =
    names.length > 0
      ? `in ${extentText(names, facts)}`
      : `in namespaces that match ${selectorText(namespaceSelector)} (none now)`;
  return {
    operations: listed([...new Set(rules.flatMap((rule) => rule.operations))]),
    resources: [...new Set(rules.flatMap((rule) => rule.resources))],
    where: isInNone ? '' : ` ${where}`,
  };
}

/** More sets of requests than that are a list with one sentence at its end. */
const mostSentences = 3;

/** What is admitted while they do not respond: a warning for each set of requests that webhooks share. */
function whatPasses(closed: readonly AdmissionCallout[], facts: ScopeFacts): readonly string[] {
  const all = closed.map((callout) => ({ ...callout, covered: coverageOf(callout, facts) }));
  return [...groupBy(all, ({ kind }) => kind)].flatMap(([kind, ofKind]) => {
    const sets = [...groupBy(ofKind, ({ covered }) => coverageText(covered))];
    if (sets.length <= mostSentences)
      return sets.map(([requests, alike]) => {
        const does = agreeing(alike.length, 'does', 'do');
        return `${passes[kind]} while ${namesOf(alike)} ${does} not respond: ${requests}. ${remains(kind, alike.length)}`;
      });
    const joined = groupBy(ofKind, ({ covered: { operations, where } }) => operations + where);
    return [
      ...[...joined.values()].map((alike) => {
        const resources = [...new Set(alike.flatMap(({ covered }) => covered.resources))];
        return `${passes[kind]}: ${coverageText({ ...alike[0].covered, resources })} (${namesOf(alike)}).`;
      }),
      `They are ${passes[kind].toLowerCase()} while the webhooks do not respond. ${remains(kind, ofKind.length)}`,
    ];
  });
}

const namesOf = (callouts: readonly AdmissionCallout[]): string =>
  listed(
    callouts.map(({ webhook }) => webhook),
    { most: 3 },
  );

const passes = { mutating: 'Unchanged', validating: 'Unchecked' } as const;

const remains = (kind: keyof typeof passes, count: number): string =>
  kind === 'validating'
    ? 'Objects admitted until then stay.'
    : `Objects created until then permanently lack what ${agreeing(count, 'it adds (in Pods: what it injects)', 'they add (in Pods: what they inject)')}.`;

/** Plan to admit requests while the named webhooks do not respond. */
export function failOpenPlan(callouts: readonly AdmissionCallout[], facts: ScopeFacts): Plan {
  const closed = callouts.filter(({ failurePolicy }) => failurePolicy !== 'Ignore');
  const engines = closed.flatMap(({ webhook }) => {
    const enforced = enforcedBy(webhook);
    return enforced === undefined ? [] : [`${enforced.product} enforces ${enforced.what} through ${webhook}`];
  });
  return {
    ...changed('failopen', closed, callouts, 'Ignore'),
    warnings: [
      ...unique(closed.flatMap((callout) => whoRevertsField(callout, 'failurePolicy'))),
      ...whatPasses(closed, facts),
    ],
    ...(engines.length === 0
      ? {}
      : {
          needsFlag: {
            flag: '--i-accept-unchecked-admission',
            because: `${engines.join('; ')}: while it fails open they are not enforced`,
          },
        }),
  };
}

/** Plan to refuse requests while the webhooks do not respond. `failing`: ids of those that fail now. */
export function failClosedPlan(
  callouts: readonly AdmissionCallout[],
  facts: ScopeFacts,
  failing: ReadonlySet<string>,
  { undoCommand }: Pick<ChangeTools, 'undoCommand'>,
): Plan {
  const open = callouts.filter(({ failurePolicy }) => failurePolicy !== 'Fail');
  const broken = open.filter((callout) => failing.has(calloutId(callout)));
  const recorded = unique(
    open
      .flatMap(({ metadata }) => changeRecords(metadata).filter(({ remedy }) => remedy === 'failopen'))
      .map(({ id }) => id),
  );
  return {
    ...changed('failclosed', open, callouts, 'Fail'),
    warnings: [
      ...unique(open.flatMap((callout) => whoRevertsField(callout, 'failurePolicy'))),
      ...recorded.map((id) => `It was set to Ignore by ${id}: \`${undoCommand(id)}\` restores exactly that.`),
      ...open.map(
        (callout) =>
          `Refused whenever ${callout.webhook} does not respond: ${coverageText(coverageOf(callout, facts))}.`,
      ),
    ],
    ...(broken.length === 0
      ? {}
      : {
          needsFlag: {
            flag: '--i-accept-refused-requests',
            because: `calls to ${listed(broken.map(({ webhook }) => webhook))} fail now: all matching requests would be refused at once`,
          },
        }),
  };
}

function changed(
  remedy: string,
  changing: readonly AdmissionCallout[],
  named: readonly AdmissionCallout[],
  policy: FailurePolicy,
): Pick<Plan, 'remedy' | 'summary' | 'edits' | 'fixes'> {
  const affected = (changing.length > 0 ? changing : named).map(({ webhook }) => webhook);
  return {
    remedy,
    summary: `Set failurePolicy of ${listed(affected, { most: 3 })} to ${policy}`,
    edits: changing.map((callout) => webhookEdit(callout, 'failurePolicy', policy)),
    fixes: [],
  };
}
