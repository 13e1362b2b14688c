// Measures the processor time of the model of the API server: node test/bench/model.ts. The process runs
// nothing else.
import type { AdmissionRequest, Operation } from '../../src/apiserver/admission/admission-request.ts';
import type { MatchFacts } from '../../src/apiserver/admission/match.ts';
import { matchRequest } from '../../src/apiserver/admission/match.ts';
import { selectedNamespaces } from '../../src/apiserver/admission/selected-namespaces.ts';
import { catalogue } from '../../src/checks/catalogue.ts';
import { runCheck } from '../../src/diagnose/findings/run-check.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../src/facts/callout.ts';
import { complete } from '../../src/facts/lookup.ts';
import type { LabelSelector } from '../../src/facts/objects/label-selector.ts';
import type { ServedResource } from '../../src/facts/served-resources.ts';
import type { Snapshot } from '../../src/facts/snapshot.ts';
import { largeScopes, scopeChecks } from '../checks/scope/scopes.ts';
import { anchor, encoded } from '../checks/tls/bundles.ts';
import { testKey } from '../oracle/certificate/test-key.ts';
import { namespace, objects, snapshotOf, webhook } from '../support/snapshot.ts';

const operations: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE'];
const versions = ['v1', 'v1beta1'] as const;
const resourceOf = (index: number) => ({ group: `g${index % 20}.example.com`, resource: `things${index}` });

const facts = (namespaces: number, resources: number): MatchFacts => ({
  namespaces: objects(
    ...Array.from({ length: namespaces }, (_, index) => namespace(`ns${index}`, { team: `t${index % 10}` })),
  ),
  served: complete([
    [
      'served',
      {
        resources: Array.from({ length: resources }, (_, index) =>
          versions.map(
            (version): ServedResource => ({
              ...resourceOf(index),
              version,
              kind: 'Thing',
              singular: '',
              namespaced: true,
              verbs: [],
            }),
          ),
        ).flat(),
        stale: [],
      },
    ],
  ]),
});

const requestsFor = (resources: number): readonly AdmissionRequest[] =>
  Array.from({ length: resources }, (_, index) => ({
    operation: operations[index % 3] ?? 'CREATE',
    ...resourceOf(index),
    version: 'v1',
    labels: { app: index % 2 === 0 ? 'shop' : 'policy' },
  }));

const rulesOf = (index: number): readonly RuleWithOperations[] =>
  index % 10 === 0
    ? [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }]
    : Array.from({ length: 4 }, (_, turn) => {
        const { group, resource } = resourceOf((index * 7 + turn * 31) % 400);
        return {
          operations: ['CREATE', 'UPDATE'],
          apiGroups: [group],
          // Half of them in another version than the requested one.
          apiVersions: [versions[turn % 2] ?? 'v1'],
          resources: [resource, `${resource}/status`],
        };
      });

const namespaceSelectors: readonly LabelSelector[] = [
  {},
  { matchLabels: { team: 't3' } },
  { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['ns1', 'ns2'] }] },
];
const objectSelectors: readonly LabelSelector[] = [{}, { matchLabels: { app: 'shop' } }];

const webhooks = (count: number): readonly AdmissionCallout[] =>
  Array.from({ length: count }, (_, index) =>
    webhook({
      configuration: `w${index}`,
      rules: rulesOf(index),
      namespaceSelector: namespaceSelectors[index % 3] ?? {},
      objectSelector: objectSelectors[index % 2] ?? {},
      matchPolicy: index % 4 === 0 ? 'Exact' : 'Equivalent',
    }),
  );

const evaluate = (snapshot: Snapshot, chosen: (id: string) => boolean): void => {
  for (const check of catalogue) if (chosen(check.meta.id)) runCheck(check, snapshot.facts);
};

/** Each webhook with the namespaces, and with each resource in one of them. */
function verdicts(): () => void {
  const callouts = webhooks(500);
  const requests = requestsFor(400);
  const known = facts(200, 400);
  return () => {
    for (const hook of callouts) {
      selectedNamespaces(hook, known);
      for (const asked of requests) matchRequest(hook, { ...asked, namespace: 'ns0' }, known, 'v1.37.1');
    }
  };
}

function caBundles(): () => void {
  const service = { namespace: 'shop', name: 'policy', port: 443 };
  const key = testKey('rsa2048');
  const callouts = Array.from({ length: 1000 }, (_, at) =>
    webhook({
      index: at,
      client: { service, caBundle: encoded(anchor(-10, 300, { key, serial: BigInt(at) })) },
    }),
  );
  const snapshot = snapshotOf({ callouts });
  return () => evaluate(snapshot, (id) => /^ca-bundle-(invalid|empty|expired|expiring)$/.test(id));
}

function scopes(kind: keyof typeof largeScopes): () => void {
  const snapshot = largeScopes[kind]();
  const ids = new Set(scopeChecks.map(({ meta }) => meta.id));
  return () => evaluate(snapshot, (id) => ids.has(id));
}

/** The tasks, and their maximum milliseconds. */
const tasks: readonly (readonly [what: string, prepare: () => () => void, limit: number])[] = [
  ['500 webhooks, 200 namespaces, 400 resources', verdicts, 2500],
  ['caBundles of 1000 webhooks, each another one', caBundles, 500],
  ['scope of 500 webhooks that cover a bit of everything', () => scopes('mixed'), 500],
  ['scope of 500 webhooks that each cover everything', () => scopes('everything'), 500],
  ['scope of 500 webhooks that cover nothing that matters', () => scopes('nothing'), 500],
];

let kept = true;
for (const [what, prepare, limit] of tasks) {
  const task = prepare();
  const start = process.cpuUsage();
  task();
  const { user, system } = process.cpuUsage(start);
  const milliseconds = (user + system) / 1000;
  kept &&= milliseconds <= limit;
  console.log(
    `${milliseconds <= limit ? 'kept  ' : 'MISSED'}  ${what}: ${milliseconds.toFixed(0)} ms (limit ${limit})`,
  );
}
process.exitCode = kept ? 0 : 1;
