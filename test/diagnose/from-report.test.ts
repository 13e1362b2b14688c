import { expect } from 'chai';
import { fromReport, hiddenFrom } from '../../src/diagnose/from-report.ts';
import type { CalloutReport, Verdict } from '../../src/diagnose/report.ts';
import type { StuckObject } from '../../src/facts/stuck-object.ts';
import { reportDocument } from '../../src/render/data-formats/document.ts';
import { renderTerminal } from '../../src/render/terminal/render-terminal.ts';
import { reports } from '../render/reports.ts';
import { objectOf } from '../support/report.ts';
import { schemaErrors } from '../support/schema.ts';

const callout = (
  name: string,
  state: Verdict['state'],
  effect: Verdict['effect'] = 'none',
): CalloutReport => ({
  kind: 'validating',
  configuration: name,
  webhook: `${name}.example.com`,
  index: 0,
  failurePolicy: 'Fail',
  timeoutSeconds: 10,
  backend: {},
  verdict: { state, confidence: 'derived', because: [], effect },
  replicas: [],
  chain: {},
});
const dead = callout('dead', 'failing', 'blocks');
const well = callout('well', 'healthy');
const open = callout('open', 'failing', 'fails-open');
const dim = callout('dim', 'unknown');
const words = [1, 2].map(() => ({
  object: { kind: 'ReplicaSet', namespace: 'shop', name: 'cart-1' },
  field: 'Event FailedCreate',
  value: 'exceeded quota',
}));
const victim: StuckObject = {
  ref: { kind: 'Deployment', namespace: 'shop', name: 'cart' },
  metadata: { name: 'cart' },
  owners: [],
  missing: 2,
  words,
};
const from = (
  by: 'words' | 'requests',
  callouts: readonly CalloutReport[],
  over: Partial<StuckObject> = {},
) =>
  fromReport(
    { stuckObject: { ...victim, ...over }, trail: { by, callouts: [], words: by === 'words' ? words : [] } },
    callouts,
  );
const ids = (...names: readonly string[]) => names.map((name) => `validating/${name}/${name}.example.com`);

describe('the result of --from', () => {
  it('is the callout that the messages of the object name, whatever else matches', () => {
    const { message, inTheWay, words: told } = from('words', [dead]);
    expect(inTheWay).to.deep.equal(ids('dead'));
    expect(message).to.equal(
      `${ids('dead')[0]} blocks Deployment shop/cart, according to its status or Events`,
    );
    expect(told).to.deep.equal([
      { object: objectOf('ReplicaSet shop/cart-1'), field: 'Event FailedCreate', value: 'exceeded quota' },
    ]);
  });
  it('says so if the named callout responds again', () => {
    expect(from('words', [well]).message).to.match(/; calls succeed now, and the request is retried$/);
  });
  it('is, without messages, the failing callouts that match the object and reject requests', () => {
    const { inTheWay, callouts, message } = from('requests', [dead, well, open]);
    expect(inTheWay).to.deep.equal(ids('dead'));
    expect(callouts).to.deep.equal(ids('dead', 'well', 'open'));
    expect(message).to.match(
      /^The status and Events of .* name no webhook; 3 webhooks match its requests, and \S+ fails$/,
    );
  });
  it('names three of many', () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => callout(name, 'failing', 'blocks'));
    expect(from('requests', many).message).to.match(/\/c\.example\.com and 2 more fail$/);
  });
  it('is that no webhook blocks it if none matches, or all respond, and unknown if one is unknown', () => {
    expect(from('requests', []).message).to.match(/^No webhook blocks .*: none matches its requests$/);
    expect(from('requests', [well, open]).message).to.match(/^No webhook blocks .* none of them blocks it$/);
    expect(from('requests', [well, dim]).message).to.match(
      /^No webhook is known to block .* 2 webhooks match .* 1 verdict is unknown$/,
    );
  });
  it('names the selectors that exclude its Pods, if nothing blocks it', () => {
    const leftOut = [
      { object: { kind: 'M', name: 'inject' }, field: 'webhooks[0].namespaceSelector', value: 'a=b' },
    ];
    const told = (callouts: readonly CalloutReport[]) =>
      fromReport(
        { stuckObject: victim, trail: { by: 'requests', callouts: [], words: [], leftOut } },
        callouts,
      );
    expect(told([]).message).to.match(
      /none matches its requests; 1 mutating webhook does not select its Pods$/,
    );
    expect(told([well]).message).to.match(
      /none of them blocks it; 1 mutating webhook does not select its Pods$/,
    );
    expect(told([well]).words.map(({ value }) => value)).to.deep.equal(['a=b', 'exceeded quota']);
    expect(told([dead]).message).to.match(/fails$/);
    expect(told([dead]).words.map(({ value }) => value)).to.deep.equal(['exceeded quota']);
  });
  it('names requests of injection that only the workload has, if nothing blocks it', () => {
    const field = 'metadata.annotations[vault.hashicorp.com/agent-inject]';
    const misplaced = [{ object: victim.ref, field, value: 'true; its Pod template does not have it' }];
    const told = (callouts: readonly CalloutReport[]) =>
      fromReport(
        { stuckObject: victim, trail: { by: 'requests', callouts: [], words: [], misplaced } },
        callouts,
      );
    for (const callouts of [[], [well]])
      expect(told(callouts).message).to.match(
        /; its metadata\.annotations\[vault\.hashicorp\.com\/agent-inject\] must be in its Pod template, under spec\.template$/,
      );
    const leftOut = [{ object: victim.ref, field: 'objectSelector', value: 'a=b' }];
    expect(
      fromReport(
        { stuckObject: victim, trail: { by: 'requests', callouts: [], words: [], misplaced, leftOut } },
        [],
      ).message,
    ).to.match(/under spec\.template; 1 mutating webhook does not select its Pods$/);
    expect(told([well]).words[0]).to.deep.equal(misplaced[0]);
    expect(told([dead]).message).to.match(/fails$/);
    expect(told([dead]).words).not.to.deep.include(misplaced[0]);
  });
  it('names a webhook that no API shows, and what else fails', () => {
    const led = (isStatic: boolean, callouts: readonly CalloutReport[] = []) => {
      const unknownWebhook = { webhook: 'gate.example.com', isStatic, words };
      const trail = { by: 'requests', callouts: [], words: [], unknownWebhook } as const;
      return { hidden: hiddenFrom(trail), ...fromReport({ stuckObject: victim, trail }, callouts) };
    };
    expect(led(true).message).to.equal(
      'Webhook gate.example.com blocks Deployment shop/cart, according to its status or Events; it is in a static manifest on the disk of the API server; no API returns it',
    );
    expect(led(true).hidden.map(({ what }) => what)).to.deep.equal(['webhook gate.example.com']);
    expect(led(true).words).to.have.length(1);
    expect(led(false).message).to.match(
      /gate\.example\.com .*; it is in no configuration that could be read; /,
    );
    expect(led(false).hidden).to.deep.equal([]);
    expect(led(true, [dead, well]).message).to.match(
      /returns it; validating\/dead\/dead\.example\.com fails as well$/,
    );
  });
  it('is undefined if the object could not be read', () => {
    const unread = { what: 'deployments shop/cart', why: 'forbidden' as const };
    expect(from('requests', [], { unread }).message).to.equal('Deployment shop/cart could not be read');
  });
  it('is valid by the schema, and comes first on the terminal', () => {
    const [report] = Object.values(reports);
    if (report === undefined) throw new Error('no report');
    const answered = { ...report, from: from('requests', [], { words }) };
    expect(schemaErrors(reportDocument(answered))).to.deep.equal([]);
    const text = renderTerminal(answered, {
      width: 120,
      colour: false,
      unicode: true,
      wide: false,
      all: false,
    });
    expect(text).to.contain(
      '\nNo webhook blocks Deployment shop/cart: none matches its requests (2 Pods are missing).\n  ReplicaSet shop/cart-1, Event FailedCreate: exceeded quota\n',
    );
  });
});
