import { expect } from 'chai';
import type { DoctorReport, OutageReport } from '../../src/diagnose/report.ts';
import { calloutId } from '../../src/facts/callout.ts';
import { renderFleet } from '../../src/render/fleet/fleet-terminal.ts';
import { calloutReport, findingReport, reportOf } from '../support/report.ts';

const look = { width: 200, colour: false, unicode: true, wide: false, all: false };

/** A cluster in which each of these webhooks blocks ConfigMaps in all namespaces, with changes of the first outage. */
function cluster(
  context: string,
  webhooks: readonly string[],
  over: Partial<OutageReport> = {},
): DoctorReport {
  const callouts = webhooks.map((webhook) =>
    calloutReport({
      webhook,
      backend: { service: { namespace: 'shop', name: webhook.split('.')[0] ?? '', port: 443 } },
      verdict: { state: 'failing', link: 'routing', because: ['gone'], effect: 'blocks' },
    }),
  );
  const report = reportOf(
    callouts,
    callouts.map((callout) => findingReport(callout, { check: 'gone' })),
  );
  const blocked = callouts.map(
    (callout, at): OutageReport => ({
      kind: 'requests',
      what: 'create ConfigMaps in all namespaces',
      which: 'all',
      callouts: [calloutId(callout)],
      resources: ['ConfigMaps'],
      namespaces: { covered: 9, total: 9 },
      ...(at === 0 ? over : {}),
    }),
  );
  return { ...report, cluster: { ...report.cluster, context }, blocked };
}

const rowsOf = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => / failing +(\S+) /.exec(line)?.[1] ?? []);

describe('several clusters on a terminal', () => {
  const many = cluster(
    'many',
    Array.from({ length: 15 }, (_, at) => `w${at}.example.com`),
  );
  const narrow = cluster('narrow', ['some.example.com'], { namespaces: { covered: 1, total: 9 } });

  it('begin with the widest outage, whichever cluster has most failures', () => {
    const urgent = cluster('urgent', ['all.example.com'], { urgent: true, resources: ['any resource'] });
    const text = renderFleet([narrow, many, urgent], look);
    expect(rowsOf(text)[0]).to.equal('urgent');
    expect(text.match(/^✖ \w+(?= · )/gm)).to.deep.equal(['✖ urgent', '✖ many', '✖ narrow']);
  });

  it('have what concerns few namespaces behind what concerns all', () => {
    const rows = rowsOf(renderFleet([narrow, cluster('wide', ['a.example.com'])], look));
    expect(rows).to.deep.equal(['wide', 'narrow']);
  });
});
