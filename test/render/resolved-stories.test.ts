import { expect } from 'chai';
import type { CalloutReport, OutageReport } from '../../src/diagnose/report.ts';
import { calloutId } from '../../src/facts/callout.ts';
import { renderHtml } from '../../src/render/html/render-html.ts';
import { causeText, storiesOf, storyRows } from '../../src/render/resolved-stories.ts';
import { outageSections } from '../../src/render/terminal/outage-lines.ts';
import { advising, calloutReport, findingReport, reportOf } from '../support/report.ts';

const failing = (webhook: string, over: Partial<CalloutReport['verdict']> = {}, service = 'policy') =>
  calloutReport({
    webhook,
    backend: { service: { namespace: 'shop', name: service, port: 443 } },
    verdict: { state: 'failing', link: 'backend', because: ['cause'], effect: 'blocks', ...over },
  });
const says = (callout: CalloutReport, message: string) => findingReport(callout, { check: 'cause', message });

const told = (report: Parameters<typeof storiesOf>[0]) =>
  storiesOf(report).stories.map(({ callouts }) => callouts.map(({ webhook }) => webhook));

describe('stories', () => {
  it('show the same cause of many callouts once', () => {
    const [a, b] = [failing('a'), failing('b')];
    expect(told(reportOf([a, b], [says(a, 'gone'), says(b, 'gone')]))).to.deep.equal([['a', 'b']]);
  });

  it('ignore the callout’s own name in the message', () => {
    const [a, b] = [failing('a.example'), failing('b.example')];
    const findings = [says(a, 'a.example has none'), says(b, 'b.example has none')];
    expect(told(reportOf([a, b], findings))).to.have.length(1);
  });

  it('ignore the name of one of them in a message that is the same for others', () => {
    const [one, other] = [failing('one.example.com'), failing('other.example.com')];
    const message = 'The API server refuses their Pods because one.example.com is down';
    expect(told(reportOf([other, one], [says(other, message), says(one, message)]))).to.have.length(1);
  });

  it('separate similar stories: another message, check, state or backend', () => {
    const [a, b] = [failing('a'), failing('b')];
    expect(told(reportOf([a, b], [says(a, 'gone'), says(b, 'ill')]))).to.have.length(2);
    const other = failing('b', { because: ['other'] });
    expect(
      told(
        reportOf([a, other], [says(a, 'gone'), findingReport(other, { check: 'other', message: 'gone' })]),
      ),
    ).to.have.length(2);
    const degraded = failing('b', { state: 'degraded' });
    expect(told(reportOf([a, degraded], [says(a, 'gone'), says(degraded, 'gone')]))).to.have.length(2);
    const elsewhere = failing('b', {}, 'other');
    expect(told(reportOf([a, elsewhere], [says(a, 'gone'), says(elsewhere, 'gone')]))).to.have.length(2);
  });

  it('leave out the same error about a healthy webhook of the same Service', () => {
    const healthy = { state: 'healthy', because: [], effect: 'none' } as const;
    const a = failing('a', { because: ['crash'] });
    const [conversion, elsewhere] = [failing('own', healthy), failing('elsewhere', healthy, 'other')];
    const { service = { namespace: 'shop', name: 'policy', port: 443 } } = conversion.backend;
    const own = { ...conversion, backend: { service: { ...service, path: '/convert' } } };
    const missing = (callout: CalloutReport, over: object = {}) =>
      findingReport(callout, { check: 'secret', message: 'gone', severity: 'error', ...over });
    const crash = findingReport(a, { check: 'crash', message: 'crashes' });
    const follows = missing(a, { causedBy: 'crash' });
    const of = (...others: ReturnType<typeof missing>[]) =>
      storiesOf(reportOf([a, own, elsewhere], [crash, follows, ...others])).others.map(
        ({ callout }) => callout,
      );
    expect(of(missing(own))).to.deep.equal([]);
    expect(of(missing(elsewhere), missing(own, { message: 'empty' }))).to.have.length(2);
    expect(of(missing(own, { severity: 'warning' }))).to.have.length(1);
  });

  it('join different backends if the cause is outside of them, and name no Pod of one of them', () => {
    const [a, b, c] = [failing('a'), failing('b', {}, 'other'), failing('c')];
    const onNode = (callout: CalloutReport, pod: string, node = 'n1') => ({
      ...says(callout, `${node} of ${pod} is down`),
      sharedMessage: `${node} is down`,
    });
    const joined = reportOf([a, b], [onNode(a, 'pod-a'), onNode(b, 'pod-b')]);
    expect(told(joined)).to.deep.equal([['a', 'b']]);
    expect(storiesOf(joined).stories.map(({ message }) => message)).to.deep.equal(['n1 is down']);
    const alone = reportOf([a, c], [onNode(a, 'pod-a'), onNode(c, 'pod-a')]);
    expect(storiesOf(alone).stories.map(({ message }) => message)).to.deep.equal(['n1 of pod-a is down']);
    const observed = { ...onNode(b, 'pod-b'), confidence: 'observed' as const };
    expect(told(reportOf([a, b], [onNode(a, 'pod-a'), observed]))).to.have.length(2);
    expect(told(reportOf([a, b], [onNode(a, 'pod-a'), onNode(b, 'pod-b', 'n2')]))).to.have.length(2);
  });

  it('are behind the problem of the webhook that refuses their Pods', () => {
    const [victim, blocker, other] = [
      failing('a', {}, 'a'),
      failing('guard.example', {}, 'b'),
      failing('c', {}, 'c'),
    ];
    const waits = {
      ...says(victim, 'no Pods'),
      advice: advising('Repair it.', { blocker: 'guard.example' }),
    };
    const report = reportOf([victim, blocker, other], [waits, says(blocker, 'down'), says(other, 'ill')]);
    expect(told(report)).to.deep.equal([['guard.example'], ['a'], ['c']]);
  });

  it('are sorted worst first: blocked requests, then the state, then the number; unknown last', () => {
    const [a, b, c, d, e] = [
      failing('unknown', { state: 'unknown', effect: 'none' }),
      failing('degraded', { state: 'degraded' }),
      failing('open', { effect: 'fails-open' }),
      failing('one'),
      failing('two'),
    ];
    const f = failing('three');
    const findings = [a, b, c].map((callout) => says(callout, callout.webhook));
    const rest = [says(d, 'x'), says(e, 'y'), says(f, 'y')];
    expect(told(reportOf([a, b, c, d, e, f], [...findings, ...rest]))).to.deep.equal([
      ['two', 'three'],
      ['one'],
      ['degraded'],
      ['open'],
      ['unknown'],
    ]);
  });

  it('fold consequences, name further causes, and leave the rest to others', () => {
    const a = failing('a', { because: ['cause', 'second', 'later'] });
    const follows = findingReport(a, { check: 'later', causedBy: 'cause' });
    const second = findingReport(a, { check: 'second' });
    const beside = findingReport(a, { check: 'beside', severity: 'warning' });
    const { stories, others } = storiesOf(reportOf([a], [says(a, 'x'), second, follows, beside]));
    const [story] = stories;
    expect(story?.cause?.check).to.equal('cause');
    expect(story?.also).to.deep.equal([second]);
    expect(story?.follows).to.deep.equal(['later']);
    expect(others).to.deep.equal([beside]);
  });

  it('have no finding if it was not requested', () => {
    const [a, b] = [failing('a'), failing('b', {}, 'other')];
    expect(storiesOf(reportOf([a, b])).stories.map(({ cause }) => cause)).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('are empty for healthy callouts', () => {
    expect(reportOf([calloutReport()]).stories).to.deep.equal([]);
  });
});

describe('blocked requests', () => {
  const create = (resource: string, ...webhooks: readonly CalloutReport[]): OutageReport => ({
    kind: 'requests',
    what: `create ${resource} in all namespaces`,
    which: 'all',
    operations: ['CREATE'],
    resources: [resource],
    extent: 'all namespaces',
    callouts: webhooks.map(calloutId),
  });
  const texts = (
    callouts: readonly CalloutReport[],
    messages: readonly string[],
    ...blocked: OutageReport[]
  ) =>
    outageSections({
      ...reportOf(
        callouts,
        callouts.map((callout, at) => says(callout, messages[at] ?? 'gone')),
      ),
      blocked,
    }).map(({ texts: [first], texts: { length } }) => [length, first]);
  const [a, b, c] = [failing('a.example'), failing('b.example'), failing('c.example')];

  it('of webhooks with the same cause are one line, which one fix ends', () =>
    expect(texts([a, b, c], [], create('Jobs', a, b), create('ConfigMaps', c))).to.deep.equal([
      [1, 'create Jobs or ConfigMaps in all namespaces: 3 webhooks; start time unknown'],
    ]));

  it('have a common start once', () => {
    const since = { since: '2025-12-31T23:59:00Z', sign: 'pods-not-ready' } as const;
    const [first, second] = [create('Jobs', a, b), create('ConfigMaps', a)];
    const report = reportOf([a, b], [says(a, 'gone'), says(b, 'ill')]);
    expect(
      outageSections({
        ...report,
        takenAt: '2026-01-01T00:00:00Z',
        blocked: [
          { ...first, ...since },
          { ...second, ...since },
        ],
      }),
    ).to.deep.equal([
      {
        title: 'Blocked now',
        state: 'failing',
        note: '(Pods down for 60 s)',
        texts: [
          'create Jobs in all namespaces: a.example and b.example, fix both',
          'create ConfigMaps in all namespaces: a.example',
        ],
      },
    ]);
  });

  it('have their own heading while calls still pass over a connection that is open', () => {
    const [first, second] = [create('Jobs', a, b), create('ConfigMaps', a)];
    const report = reportOf([a, b], [says(a, 'gone'), says(b, 'ill')]);
    const soon = { ...second, notYet: true } as const;
    const sections = outageSections({ ...report, blocked: [first, soon], unchecked: [soon] });
    expect(sections.map(({ title, texts }) => [title, ...texts])).to.deep.equal([
      ['Blocked now', 'create Jobs in all namespaces: a.example and b.example, fix both; start time unknown'],
      [
        'Blocked soon',
        'create ConfigMaps in all namespaces: a.example; calls still succeed over a keep-alive connection',
      ],
      [
        'Unchecked soon',
        'create ConfigMaps in all namespaces: a.example; calls still succeed over a keep-alive connection',
      ],
    ]);
  });

  it('have the webhook before what the cluster cannot do, of which a first screen has two', () => {
    const harms = ['no Pod becomes Ready', 'nodes cannot report heartbeats', 'Pods stay Terminating', 'x'];
    const blocked = [
      ...harms.map((what) => ({ kind: 'system', what, which: 'all', callouts: [calloutId(a)] }) as const),
      create('Pods', a),
    ];
    const report = { ...reportOf([a, b], [says(a, 'gone'), says(b, 'ill')]), blocked };
    const inAll = 'create Pods in all namespaces: a.example';
    expect(outageSections(report, false)[0]?.texts).to.deep.equal([
      `${inAll} (no Pod becomes Ready; nodes cannot report heartbeats; and 2 more); start time unknown`,
    ]);
    expect(outageSections(report)[0]?.texts).to.deep.equal([
      `${inAll} (${harms.join('; ')}); start time unknown`,
    ]);
  });

  it('begin now at the earliest, even if they began after the first list was read', () => {
    const later = { ...create('Jobs', a), since: '2026-01-01T00:00:11Z', sign: 'pods-not-ready' } as const;
    const [section] = outageSections({
      ...reportOf([a], [says(a, 'gone')]),
      takenAt: '2026-01-01T00:00:00Z',
      blocked: [later],
    });
    expect(section?.texts).to.deep.equal(['create Jobs in all namespaces; Pods down for 0 s']);
  });

  it('of webhooks with different causes are a line each', () =>
    expect(texts([a, b], ['gone', 'ill'], create('Jobs', a, b), create('ConfigMaps', a))).to.deep.equal([
      [2, 'create Jobs in all namespaces: a.example and b.example, fix both'],
    ]));
});

describe('rows of the tables of broken webhooks', () => {
  const report = reportOf(
    ['a', 'b', 'c'].map((name) => failing(name)),
    ['a', 'b', 'c'].map((name) => says(failing(name), name === 'c' ? 'ill' : 'gone')),
  );
  const rows = (most: number) =>
    storyRows(storiesOf(report).stories, most).map(({ callout, more }) => `${callout.webhook}${more}`);

  it('are for each webhook, or for the first one of each cause if there are too many', () => {
    expect(rows(3)).to.deep.equal(['a', 'b', 'c']);
    expect(rows(2)).to.deep.equal(['a and 1 more', 'c']);
  });

  it('are one per cause on the HTML page if more than 30 webhooks are broken', () => {
    const names = Array.from({ length: 31 }, (_, index) => `w${index}`);
    const many = reportOf(
      names.map((name) => failing(name)),
      names.map((name) => says(failing(name), 'gone')),
    );
    expect(renderHtml(many)).to.match(/<table class="broken">.*\n<tr .*w0 and 30 more<.*\n<\/table>/);
  });
});

describe('outages on the HTML page', () => {
  const blocked = (count: number): string =>
    renderHtml({
      ...reportOf([failing('a')], [says(failing('a'), 'gone')]),
      blocked: Array.from(
        { length: count },
        (_, index): OutageReport => ({
          kind: 'requests',
          what: `create things-${index}`,
          which: index % 2 === 0 ? 'all' : 'some',
          callouts: [calloutId(failing('a')), `validating/other/${index}`],
          resources: [`things-${index}`],
        }),
      ),
    });

  it('are folded beyond ten', () => {
    expect(blocked(10)).not.to.match(/<summary>and \d+ more<\/summary>/);
    expect(blocked(12)).to.match(/<summary>and 2 more<\/summary><ul><li>create things-10/);
  });
});

describe('the cause in a table', () => {
  const notTried = [{ what: 'Pod a', why: 'the limit is 20 Pods' }] as unknown as CalloutReport['notTried'];
  const textOf = (verdict: Partial<CalloutReport['verdict']>) =>
    causeText(undefined, { ...failing('a', { because: [], ...verdict }), ...(notTried && { notTried }) });
  it('is that no probe was conclusive only if the state is unknown for that reason', () => {
    const { link: _, ...unlinked } = failing('a', { state: 'unknown', because: [] }).verdict;
    expect(causeText(undefined, { verdict: unlinked, ...(notTried && { notTried }) })).to.equal(
      'no probe was conclusive',
    );
    expect(causeText(undefined, { verdict: unlinked })).to.equal('-');
    expect(textOf({ state: 'unknown' })).to.equal('-');
    expect(textOf({ state: 'failing' })).to.equal('-');
    expect(textOf({ because: ['cause'] })).to.equal('cause');
  });
});
