import { expect } from 'chai';
import { catalogue } from '../../src/checks/catalogue.ts';
import { chainLinks } from '../../src/checks/chain.ts';
import { buildReport } from '../../src/diagnose/build-report.ts';
import type { Facts } from '../../src/facts/snapshot.ts';
import { reportDocument } from '../../src/render/data-formats/document.ts';
import { renderJson } from '../../src/render/data-formats/json.ts';
import { reports } from '../render/reports.ts';
import { doctorReportSchema, openSchemaErrors, schemaErrors } from '../support/schema.ts';
import {
  aggregatedApi,
  conversion,
  healthy,
  lists,
  objects,
  pod,
  service,
  slice,
  snapshotOf,
  webhook,
} from '../support/snapshot.ts';
import { forbidden } from '../support/unread.ts';

/** The output of `-o json` for these facts, through every stage except reading. */
function printed(facts: Partial<Facts>): unknown {
  const snapshot = snapshotOf(facts);
  const report = buildReport(snapshot, snapshot.facts.callouts, catalogue);
  return JSON.parse(renderJson(reportDocument(report)));
}

const snapshots: Readonly<Record<string, Partial<Facts>>> = {
  'nothing at all': {},
  'a healthy webhook': healthy(),
  'all four kinds of callouts, without backends': {
    callouts: [webhook(), webhook({ kind: 'mutating' }), conversion(), aggregatedApi()],
  },
  'all four kinds of callouts, with one': healthy({
    callouts: [webhook(), webhook({ kind: 'mutating' }), conversion(), aggregatedApi()],
  }),
  'a webhook with a URL': healthy({ callouts: [webhook({ client: { url: 'https://policy.shop.svc/x' } })] }),
  'a webhook that fails open': { callouts: [webhook({ failurePolicy: 'Ignore' })] },
  'a Service without replicas': healthy({
    endpointSlices: lists({ 'shop/policy': [] }),
    pods: lists({ 'shop/policy': [] }),
  }),
  'a replica that is not ready': healthy({
    endpointSlices: lists({
      'shop/policy': [
        slice([
          {
            addresses: ['198.51.100.7'],
            conditions: { ready: false, serving: false, terminating: false },
            targetRef: { kind: 'Pod', namespace: 'shop', name: 'policy-1', uid: 'uid-1' },
          },
        ]),
      ],
    }),
    pods: lists({ 'shop/policy': [pod({ status: { conditions: [{ type: 'Ready', status: 'False' }] } })] }),
  }),
  'a Service without the port': healthy({ services: objects(service({ ports: [] })) }),
  'Services that nobody may read': healthy({ services: forbidden('services') }),
  'endpoints that nobody may read': healthy({ endpointSlices: forbidden('endpointslices') }),
};

/** Members that may be absent, by the name of the object that holds them. */
const optional: readonly string[] = [
  ...['cluster.context', 'cluster.version', 'callouts.failurePolicy', 'service.path', 'backend.service'],
  ...[
    'verdict.link',
    'verdict.error',
    'verdict.errorFrom',
    'replicas.pod',
    'replicas.endpoint',
    'subject.webhook',
  ],
  ...[
    'findings.callout',
    'findings.causedBy',
    'findings.commands',
    'evidence.field',
    'callouts.cause',
    'stories.cause',
    'stories.message',
    'report.next',
  ],
  ...['notLookedAt.detail', 'notLookedAt.allow', 'notLookedAt.read', 'read.namespaces', 'allow.namespace'],
];

/** Every member of every object in `value`, as the object, the member and a name for both. */
function members(
  value: unknown,
  name: string,
): { owner: Record<string, unknown>; key: string; name: string }[] {
  if (Array.isArray(value)) return value.flatMap((item) => members(item, name));
  if (typeof value !== 'object' || value === null) return [];
  const owner = value as Record<string, unknown>;
  return Object.entries(owner).flatMap(([key, member]) => [
    { owner, key, name: `${name}.${key}` },
    ...members(member, key),
  ]);
}

describe('the schema of doctor’s report', () => {
  for (const [name, facts] of Object.entries(snapshots)) {
    it(`is valid for ${name}`, () => {
      expect(schemaErrors(printed(facts))).to.deep.equal([]);
    });
  }
  for (const [name, report] of Object.entries(reports)) {
    it(`is valid for the report "${name}"`, () => {
      expect(schemaErrors(JSON.parse(renderJson(reportDocument(report))))).to.deep.equal([]);
    });
  }

  it('requires every key that is not optional', () => {
    const report = JSON.parse(renderJson(reportDocument(reports['several-broken'] ?? expect.fail())));
    const unnoticed = members(report, 'report')
      .filter(({ owner, key }) => {
        const { [key]: taken } = owner;
        delete owner[key];
        const noticed = schemaErrors(report).length > 0;
        owner[key] = taken;
        return !noticed;
      })
      .map(({ name }) => name);
    expect([...new Set(unnoticed)].filter((name) => !optional.includes(name))).to.deep.equal([]);
  });

  it('refuses values of another type, in any place', () => {
    const report = JSON.parse(renderJson(reportDocument(reports['several-broken'] ?? expect.fail())));
    const unnoticed = members(report, 'report').filter(({ owner, key }) => {
      const { [key]: taken } = owner;
      owner[key] = null;
      const noticed = schemaErrors(report).length > 0;
      owner[key] = taken;
      return !noticed;
    });
    expect([...new Set(unnoticed.map(({ name }) => name))]).to.deep.equal([]);
  });

  it('accepts additional keys', () => {
    const report = JSON.parse(renderJson(reportDocument(reports['several-broken'] ?? expect.fail())));
    for (const { owner } of members(report, 'report')) owner.somethingNew = { really: true };
    expect(openSchemaErrors(report)).to.deep.equal([]);
  });

  it('contains the links of the chain', () => {
    expect(doctorReportSchema.$defs.link.enum).to.deep.equal(chainLinks);
  });

  it('has the same shape for healthy callouts', () => {
    const report = JSON.parse(renderJson(reportDocument(reports['all-healthy'] ?? expect.fail())));
    report.callouts[0].verdict.error = 'boom';
    expect(schemaErrors(report)).to.not.deep.equal([]);
  });
});
